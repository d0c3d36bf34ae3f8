export const subject = {
  id: 'sdk-2',
  name: 'official SDK 2.4',
  package: '@modelcontextprotocol/server',
  stdio: { program: 'sdk-2-stdio.mjs' },
  http: { program: 'sdk-2-http.mjs', stateless: '2026-07-28' },
};

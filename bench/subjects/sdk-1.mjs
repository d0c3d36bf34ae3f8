export const subject = {
  id: 'sdk-1',
  name: 'official SDK 1.32',
  package: '@modelcontextprotocol/sdk',
  stdio: { program: 'sdk-1-stdio.mjs' },
  http: { program: 'sdk-1-http.mjs', stateless: '2025-11-25' },
};

export const subject = {
  id: 'tmcp',
  name: 'tmcp 1.20',
  package: 'tmcp',
  agrees: '2025-06-18',
  stdio: { program: 'tmcp-stdio.mjs' },
  http: { program: 'tmcp-http.mjs', stateless: '2026-07-28' },
};

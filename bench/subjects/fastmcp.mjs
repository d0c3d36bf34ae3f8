export const subject = {
  id: 'fastmcp',
  name: 'fastmcp 4.20',
  package: 'fastmcp',
  stdio: { program: 'fastmcp-stdio.mjs' },
  http: { program: 'fastmcp-http.mjs', stateless: '2025-11-25' },
};

export const subject = {
  id: 'mcp-lite',
  name: 'mcp-lite 0.10',
  package: 'mcp-lite',
  agrees: '2025-06-18',
  http: { program: 'mcp-lite-http.mjs', stateless: '2025-06-18' },
};

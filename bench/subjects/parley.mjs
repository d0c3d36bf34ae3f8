export const subject = {
  id: 'parley',
  name: 'Parley',
  stdio: { command: ['stdio', '--module', 'parley-tools.mjs'] },
  http: { command: ['serve', '--port', '0', '--module', 'parley-tools.mjs'], stateless: '2026-07-28' },
};

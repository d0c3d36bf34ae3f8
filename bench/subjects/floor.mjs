export const subject = {
  id: 'floor',
  name: 'floor: raw Node',
  stdio: { program: 'floor-stdio.mjs' },
  http: { program: 'floor-http.mjs', stateless: '2026-07-28' },
};

// `parley stdio --module` starts a second process that guards stdout; a program of its own needs none.

export const subject = {
  id: 'parley-program',
  name: 'Parley in a program',
  stdio: { program: 'parley-stdio.mjs' },
};

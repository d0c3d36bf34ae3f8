import { BUDGETS } from './engine/meter.ts';
import { createWorld, FUNCTIONS, OPERATORS } from './image.ts';

/** What the embedded Lisp has, as the tables of its document. */
export function lispReference(): string {
  return [
    '### Budgets',
    budgets(),
    '### Special operators and macros',
    operators(),
    '### Functions',
    functions(),
    '### Condition types',
    conditions(),
    '### Variables',
    variables(),
  ].join('\n\n');
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function budgets(): string {
  const rows = Object.entries(BUDGETS).map(([name, { default: value, says }]) => [
    code(name),
    value.toLocaleString('en-US'),
    says,
  ]);
  return table(['budget', 'default', 'what it bounds'], rows);
}

function operators(): string {
  const rows = Object.entries(OPERATORS).map(([family, names]) => [family, listed(Object.keys(names))]);
  return table(['family', 'operators'], rows);
}

function functions(): string {
  const rows = Object.entries(FUNCTIONS).map(([family, natives]) => [family, listed(Object.keys(natives).map(nameOf))]);
  return table(['family', 'functions'], rows);
}

function nameOf(lambda: string): string {
  return lambda.startsWith('(setf ') ? lambda.slice(0, lambda.indexOf(')') + 1) : (lambda.split(' ')[0] as string);
}

function listed(names: readonly string[]): string {
  const shown = names.map((name) => name.toLowerCase()).filter((name) => !name.startsWith('%'));
  return [...new Set(shown)].sort().map(code).join(' ');
}

function conditions(): string {
  const all = [...createWorld().classes.values()].filter(({ kind }) => kind === 'condition');
  const rows = all.map(({ name, supers }) => {
    const prefix = name.home?.name === 'PARLEY' ? 'parley:' : '';
    return [code(prefix + name.name.toLowerCase()), supers.map((each) => code(each.name.name.toLowerCase())).join(' ')];
  });
  return table(['type', 'is a'], rows);
}

function variables(): string {
  const { cl } = createWorld();
  return listed(
    [...cl.symbols.values()]
      .filter(({ special, name }) => special && name !== 'NIL' && name !== 'T')
      .map(({ name }) => name),
  );
}

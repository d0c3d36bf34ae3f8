import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { citationsOf, type Seed } from './seeds.ts';

const [OPEN, CLOSE] = ['<!-- generated: clauses -->', '<!-- end: clauses -->'];

/** Where the pages about presets are. */
export const PAGES = fileURLToPath(new URL('../../../docs/presets/', import.meta.url));

/** Whether a page has a table of clauses. */
export function clausesIn(text: string): boolean {
  return text.includes(OPEN);
}

/** Puts the table of a seed's rules, and where each is shown, between the markers of a page. */
export function fillClauses(text: string, seed: Seed): string {
  const [start, end] = [text.indexOf(OPEN), text.indexOf(CLOSE)];
  if (start === -1 || end < start) throw new TypeError(`The markers "${OPEN}" and "${CLOSE}" are missing`);
  return `${text.slice(0, start + OPEN.length)}\n\n${tableOf(seed)}\n\n${text.slice(end)}`;
}

function tableOf(seed: Seed): string {
  const cited = citationsOf(seed);
  const rows = Object.entries(seed.rules).map(([id, { says, differs }]) => {
    const shown = cited.filter(({ covers }) => covers.includes(id));
    const ways = [...new Set(shown.flatMap(({ over }) => over))].sort().reverse();
    const files = [...new Set(shown.map(({ path }) => `\`${basename(path, '.transcript')}\``))];
    return [id, says, differs ?? '', ways.join(', '), files.join(', ')];
  });
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = ['', 'the document', 'here', 'over', 'shown by'];
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

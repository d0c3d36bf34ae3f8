import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';

// Where a server spends its time, by function.

const TOP = 20;

const placeOf = ({ url, lineNumber }, dist) => {
  if (url === '') return '';
  const path = url
    .replace('file://', '')
    .replace(`${dist}/`, '')
    .replace(/^.*\/node_modules\//, '');
  return `${path}:${lineNumber + 1}`;
};

/** Waiting, and the inspector's own start. */
const isNobodys = ({ functionName, url }) => functionName === '(idle)' || (functionName === 'dispatch' && url === '');

/** Self time by function, longest first: `{ name, place, ms, share }`; waiting is left out. */
export function selfTimes({ nodes, samples, timeDeltas }, dist = '') {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const spent = new Map();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id);
    if (isNobodys(frame)) continue;
    const key = `${frame.functionName || '(anonymous)'} ${placeOf(frame, dist)}`.trim();
    const ms = timeDeltas[index] / 1000;
    busy += ms;
    spent.set(key, (spent.get(key) ?? 0) + ms);
  }
  return [...spent].map(([name, ms]) => ({ name, ms, share: ms / busy })).sort((a, b) => b.ms - a.ms);
}

/** Gives the profiles of a subject names and prints what took longest in each. */
export function showProfiles(pids, { folder, name, dist }) {
  for (const [index, pid] of pids.entries()) {
    const from = join(folder, `${pid}.cpuprofile`);
    if (!existsSync(from)) continue;
    const to = join(folder, `${name}${index === 0 ? '' : `-${index + 1}`}.cpuprofile`);
    renameSync(from, to);
    console.log(`\n${relative('.', to)}`);
    for (const { name: what, ms, share } of selfTimes(JSON.parse(readFileSync(to, 'utf8')), dist).slice(0, TOP)) {
      console.log(`${(share * 100).toFixed(1).padStart(6)} %${ms.toFixed(0).padStart(7)} ms  ${what}`);
    }
  }
}

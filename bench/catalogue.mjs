// Everything there is to measure, in the order of the report.

const SUBJECTS = ['floor', 'parley', 'parley-program', 'sdk-1', 'sdk-2', 'fastmcp', 'tmcp', 'mcp-lite'];
const WORKS = [
  'http-calls',
  'http-guarded',
  'stdio-calls',
  'lists',
  'large',
  'progress',
  'initialize',
  'mixed',
  'cold-start',
  'memory',
  'counts',
  'workers',
  'stores',
];

const all = async (names, folder) => Promise.all(names.map((name) => import(`./${folder}/${name}.mjs`)));

/** Whom to measure. */
export async function loadSubjects() {
  return (await all(SUBJECTS, 'subjects')).map(({ subject }) => subject);
}

/** What to measure. */
export async function loadWorks() {
  return (await all(WORKS, 'works')).flatMap(({ works }) => works);
}

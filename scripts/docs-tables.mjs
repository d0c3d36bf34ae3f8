// The parts of the documents that are made from the code.

const escapeCell = (text) => text.replaceAll('|', '\\|');

/** A Markdown table; the first row is its head. */
export function table([head, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => escapeCell(String(cell))).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** `docs/limits.md`: every limit with its default. */
export function limitsTable(limits) {
  const rows = Object.entries(limits).map(([name, { default: value, says }]) => [
    `\`${name}\``,
    value.toLocaleString('en-US'),
    says,
  ]);
  return table([['limit', 'default', 'what it bounds'], ...rows]);
}

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const unique = (values) => [...new Set(values)];

function show(value) {
  if (value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : `\`${JSON.stringify(value)}\``;
  return `\`${value}\``;
}

/** Whether a property of a revision is a table of rows: methods, questions or notices. */
const isRows = (value) => isRecord(value) && Object.values(value).some(isRecord);
const isNumbers = (value) =>
  isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every((entry) => typeof entry === 'number');

const head = (revisions, first) => [first, ...revisions.map(({ id }) => id)];
const keysOf = (revisions, keep) =>
  unique(revisions.flatMap((revision) => Object.keys(revision).filter((key) => keep(revision[key], key))));

function plainTable(revisions) {
  const keys = keysOf(
    revisions,
    (value, key) => key !== 'id' && typeof value !== 'function' && !isRows(value) && !isNumbers(value),
  );
  const shown = keys.filter((key) => !revisions.some((revision) => isRows(revision[key])));
  return table([
    head(revisions, 'property'),
    ...shown.map((key) => [`\`${key}\``, ...revisions.map((revision) => show(revision[key]))]),
  ]);
}

function rowsTable(revisions, property) {
  const names = unique(revisions.flatMap((revision) => Object.keys(revision[property] ?? {})));
  const rows = names.map((name) => [
    `\`${name}\``,
    ...revisions.map((revision) => (revision[property]?.[name] === undefined ? '–' : 'yes')),
  ]);
  return table([head(revisions, 'name'), ...rows]);
}

function numbersTable(revisions, property) {
  const names = unique(revisions.flatMap((revision) => Object.keys(revision[property] ?? {})));
  return table([
    head(revisions, 'kind'),
    ...names.map((name) => [`\`${name}\``, ...revisions.map((revision) => revision[property]?.[name] ?? '–')]),
  ]);
}

/** One line for each thing a row says: a list becomes a line an element. */
function sayings(row) {
  return Object.entries(row?.says ?? {}).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map((element) => [`${key}: \`${element}\``, true]) : [[key, value]],
  );
}

/** What the same row says differently in different revisions. */
function differencesTable(revisions, property) {
  const names = unique(revisions.flatMap((revision) => Object.keys(revision[property] ?? {})));
  const rows = names.flatMap((name) => {
    const maps = revisions.map((revision) =>
      revision[property]?.[name] === undefined ? undefined : new Map(sayings(revision[property][name])),
    );
    return unique(maps.flatMap((map) => [...(map?.keys() ?? [])])).flatMap((saying) => {
      const cells = maps.map((map) => (map === undefined ? '' : show(map.get(saying))));
      const spoken = unique(cells.filter((cell) => cell !== ''));
      return spoken.length > 1 ? [[`\`${name}\``, saying, ...cells]] : [];
    });
  });
  return rows.length === 0 ? undefined : table([['name', 'what differs', ...revisions.map(({ id }) => id)], ...rows]);
}

const TITLES = {
  methods: 'Methods a client may call',
  questions: 'Questions a server may ask',
  tells: 'Notices a server may send',
  hears: 'Notices a client may send',
  codes: 'Error numbers by kind of fault',
};

/** `docs/revisions.md`: everything the revision tables hold, whatever their properties are. */
export function revisionTables(revisions) {
  const section = (key, ...tables) => [`## ${TITLES[key] ?? key}`, ...tables.filter((text) => text !== undefined)];
  return [
    '## Properties',
    plainTable(revisions),
    ...keysOf(revisions, isRows).flatMap((key) =>
      section(key, rowsTable(revisions, key), differencesTable(revisions, key)),
    ),
    ...keysOf(revisions, isNumbers).flatMap((key) => section(key, numbersTable(revisions, key))),
  ].join('\n\n');
}

/** Replaces what stands between two markers; throws when they are not there. */
export function fill(text, name, content) {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const start = text.indexOf(open);
  const end = text.indexOf(close);
  if (start === -1 || end < start) throw new Error(`The markers "${open}" and "${close}" are missing`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}

const EXACT = /^(?:npm:[@\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** Dependencies that may change without anybody changing the manifest; ranges are for peers alone. */
export function pinProblems(path, { dependencies, devDependencies, optionalDependencies }) {
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return all
    .filter(([, version]) => !EXACT.test(version) && !version.startsWith('file:'))
    .map(([name, version]) => `${path}: ${name} is not pinned: "${version}". Give one version`);
}

/** `docs/dependencies.md`: a row for every dependency, and no row for anything else. */
export function reasonProblems(text, used) {
  const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  return [
    ...used.filter((name) => !named.includes(name)).map((name) => `docs/dependencies.md: no reason for ${name}`),
    ...named.filter((name) => !used.includes(name)).map((name) => `docs/dependencies.md: ${name} is no dependency`),
  ];
}

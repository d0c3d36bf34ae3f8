export interface ReadFamily {
  help?: string;
  type?: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(?:,|$)/y;

/** Reads the Prometheus text format strictly: whatever the format does not allow throws. */
export function readExposition(text: string): Map<string, ReadFamily> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line has no end');
  const families = new Map<string, ReadFamily>();
  let current = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment === null) {
      addSample(families.get(current), current, line);
      continue;
    }
    const [, what, name = '', rest = ''] = comment;
    if (what === 'HELP' && families.has(name)) throw new Error(`Metric "${name}" comes twice`);
    current = name;
    const family = families.get(name) ?? { samples: [] };
    if (what === 'HELP') family.help = restore(rest);
    else family.type = rest;
    families.set(name, family);
  }
  return families;
}

function addSample(family: ReadFamily | undefined, metric: string, line: string): void {
  const [, name = '', labels = '', number = ''] = SAMPLE.exec(line) ?? [];
  const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (family === undefined || !suffixes.some((suffix) => name === metric + suffix))
    throw new Error(`A line belongs to no metric: ${line}`);
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
  if (Number.isNaN(value) && number !== 'NaN') throw new Error(`No number: ${line}`);
  const read = readLabels(labels);
  const same = (sample: { name: string; labels: object }) =>
    sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(read);
  if (family.samples.some(same)) throw new Error(`The same series twice: ${line}`);
  family.samples.push({ name, labels: read, value });
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    if (found === null) throw new Error(`Not labels: ${text}`);
    labels[found[1] ?? ''] = restore(found[2] ?? '');
  }
  return labels;
}

function restore(text: string): string {
  return text.replace(/\\(\\|n|")/g, (_, mark: string) => (mark === 'n' ? '\n' : mark));
}

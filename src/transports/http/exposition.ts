/** A metric as plain data, ready to be written down. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: readonly (readonly [string, string])[];
  readonly value: number;
}

/** Writes metrics in the Prometheus text format 0.0.4. */
export function exposition(families: readonly Family[]): string {
  return families.map(writeFamily).join('');
}

function writeFamily({ name, help, type, samples }: Family): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  return head + samples.map(writeSample).join('');
}

function writeSample({ name, labels, value }: Sample): string {
  const pairs = labels.map(([label, text]) => `${label}="${escapeValue(text)}"`).join(',');
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${writeNumber(value)}\n`;
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

const escapeHelp = (text: string) => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
const escapeValue = (text: string) => escapeHelp(text).replace(/"/g, '\\"');

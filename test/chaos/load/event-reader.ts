/** One event of a stream. */
export interface HeardEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
  readonly retryMs: number | undefined;
}

/** Cuts the text of an event stream into its events. */
export class EventReader {
  #rest = '';

  push(chunk: string): HeardEvent[] {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() as string;
    return blocks.flatMap((block) => readEvent(block) ?? []);
  }
}

function readEvent(block: string): HeardEvent | undefined {
  const fields = block.split('\n').flatMap(readField);
  if (fields.length === 0) return undefined;
  const last = (name: string): string | undefined => fields.findLast(([found]) => found === name)?.[1];
  const retry = last('retry');
  return {
    id: last('id'),
    event: last('event'),
    data: fields.flatMap(([name, value]) => (name === 'data' ? [value] : [])).join('\n'),
    retryMs: retry === undefined ? undefined : Number(retry),
  };
}

/** The name and value on a line; none for a comment. */
function readField(line: string): [string, string][] {
  const colon = line.indexOf(':');
  if (colon === 0 || line === '') return [];
  return colon === -1 ? [[line, '']] : [[line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]];
}

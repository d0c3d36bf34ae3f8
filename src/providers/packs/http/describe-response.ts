import type { EgressResponse } from '../../../sandbox/egress-limits.ts';

/** A response as the tool tells it, in the members HyperServe's clients know; the last two only where they apply. */
export interface ResponseDescription {
  readonly body: string;
  readonly headers: Record<string, string[]>;
  readonly status: string;
  readonly statusCode: number;
  /** The body is not text. */
  readonly encoding?: 'base64';
  /** The body was longer than what is given. */
  readonly truncated?: true;
}

export function describeResponse({ status, reason, headers, body, truncated }: EgressResponse): ResponseDescription {
  const text = textOf(body, charsetOf(headers), truncated);
  return {
    body: text ?? body.toString('base64'),
    headers: grouped(headers),
    status: reason === '' ? String(status) : `${status} ${reason}`,
    statusCode: status,
    ...(text === undefined ? { encoding: 'base64' as const } : {}),
    ...(truncated ? { truncated } : {}),
  };
}

function grouped(headers: EgressResponse['headers']): Record<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = canonical(name);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return Object.fromEntries(groups);
}

/** `content-type` becomes `Content-Type`, however it was sent. */
function canonical(name: string): string {
  return name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}

function charsetOf(headers: EgressResponse['headers']): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return /;\s*charset="?([\w.:-]{1,40})"?/i.exec(type)?.[1] ?? 'utf-8';
}

function textOf(body: Buffer, charset: string, truncated: boolean): string | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    // A cut body may end inside a character, which is then left out.
    const text = decoder.decode(body, { stream: truncated });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

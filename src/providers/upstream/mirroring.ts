import { argumentAt, mirroredBy } from '../../catalog/mirror.ts';
import { checkInputSchema } from '../../catalog/tool-rules.ts';
import type { Tool } from '../../model/items.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import type { Mirrors } from './link.ts';

const MARK = '"x-mcp-header"';

/** Knows which arguments of which tool are repeated beside a call. */
// spec 2026-07-28 server/tools#x-mcp-header
export class Mirroring {
  readonly #log: Log;
  readonly #schemas = new Map<string, JsonObject>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Remembers the tools of a list and leaves out those whose marks are wrong. */
  keep(tools: readonly Tool[]): Tool[] {
    this.#schemas.clear();
    return tools.filter(({ name, inputSchema }) => {
      if (!JSON.stringify(inputSchema).includes(MARK)) return true;
      const fault = wrongMark(name, inputSchema);
      if (fault === undefined) this.#schemas.set(name, inputSchema);
      else this.#log('warn', `Left out a tool of the server: ${fault}`);
      return fault === undefined;
    });
  }

  /** What a call repeats beside itself; nothing for a tool that is not known or marks nothing. */
  beside(name: string, input: JsonObject): Mirrors {
    const schema = this.#schemas.get(name);
    const headers: Record<string, string | number | boolean> = {};
    for (const { header, path } of schema === undefined ? [] : mirroredBy(schema)) {
      const value = argumentAt(input, path);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') headers[header] = value;
    }
    return headers;
  }
}

function wrongMark(name: string, schema: JsonObject): string | undefined {
  try {
    checkInputSchema(name, schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

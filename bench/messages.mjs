// What the load says. A request is built once; only its id, nine digits wherever they stand, changes between two.

export const OLD = '2025-11-25';
export const NEW = '2026-07-28';
const CLIENT = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const FIRST_ID = 100_000_000;
const MARK = Buffer.from(String(FIRST_ID));

/** The first message of a handshake. */
export const hello = (protocolVersion) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: CLIENT },
  });
export const READY = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

/** A request as text, with a mark where its id belongs. */
export function requestText(method, params, { modern = false, progress = false } = {}) {
  const meta = { ...(modern ? META : {}), ...(progress ? { progressToken: FIRST_ID } : {}) };
  const said = modern || progress ? { ...params, _meta: meta } : params;
  return JSON.stringify({ jsonrpc: '2.0', id: FIRST_ID, method, params: said });
}

/** A call of a tool as text; the text it is given holds the id, so that no two are alike. */
export function callText(tool, { text = `text ${FIRST_ID}`, ...how } = {}) {
  return requestText('tools/call', { name: tool, arguments: { text } }, how);
}

/** The text a call was given, once its id is known. */
export const textOf = (id) => `text ${id}`;

/** Bytes with a number in them that can be changed in place. */
export class Template {
  #places = [];
  #next = FIRST_ID;

  constructor(text) {
    this.bytes = Buffer.from(text);
    for (let at = this.bytes.indexOf(MARK); at !== -1; at = this.bytes.indexOf(MARK, at + MARK.length)) {
      this.#places.push(at);
    }
  }

  /** Puts the next id in and says which it is. */
  turn() {
    this.#next += 1;
    for (const place of this.#places) {
      for (let digit = 8, rest = this.#next; digit >= 0; digit -= 1) {
        this.bytes[place + digit] = 48 + (rest % 10);
        rest = (rest / 10) | 0;
      }
    }
    return this.#next;
  }
}

/** Whether a call was answered with this text. */
export function answered({ id, result }, expected) {
  return result?.isError !== true && result?.content?.length === 1 && result.content[0].text === expected(id);
}

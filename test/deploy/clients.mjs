// Two clients that call a tool again and again and keep account of every answer.

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const SESSION_REVISION = '2025-11-25';
const MODERN_REVISION = '2026-07-28';
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

class Client {
  failures = [];
  answered = 0;
  processes = new Set();
  #stopped = false;
  #count = 0;

  constructor(name) {
    this.name = name;
  }

  async run() {
    await this.attempt(() => this.open());
    while (!this.#stopped) await this.attempt(() => this.call(++this.#count));
  }

  stop() {
    this.#stopped = true;
  }

  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.failures.push(error.cause === undefined ? error.message : `${error.message}: ${error.cause.message}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async open() {}

  async expect(response, id) {
    const text = await response.text();
    if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text.slice(0, 100).replaceAll(/\s+/g, ' ')}`);
    const answer = JSON.parse(text.startsWith('{') ? text : lastEvent(text));
    const said = answer.result?.content?.[0]?.text ?? '';
    const match = /^Hello, (.+), from process (\d+)$/.exec(said);
    if (answer.id !== id || match?.[1] !== `${this.name}/${id}`) throw new Error(`Not the answer: ${text.slice(0, 200)}`);
    this.processes.add(match[2]);
    this.answered++;
  }

  body(id, extra = {}) {
    const params = { name: 'greet', arguments: { name: `${this.name}/${id}` }, ...extra };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  }
}

function lastEvent(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .at(-1)
    .slice('data: '.length);
}

/** A client that opens one session and keeps it. */
export function sessionClient(url, name) {
  let headers = HEADERS;
  return new (class extends Client {
    async open() {
      const params = { protocolVersion: SESSION_REVISION, capabilities: {}, clientInfo: { name, version: '1' } };
      const opened = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
      });
      await opened.text();
      if (opened.status !== 200) throw new Error(`Cannot open a session: HTTP ${opened.status}`);
      headers = {
        ...HEADERS,
        'mcp-session-id': opened.headers.get('mcp-session-id'),
        'mcp-protocol-version': SESSION_REVISION,
      };
      const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await (await fetch(url, { method: 'POST', headers, body: ready })).text();
    }

    async call(id) {
      await this.expect(await fetch(url, { method: 'POST', headers, body: this.body(id) }), id);
    }
  })(name);
}

/** A client whose every request speaks for itself. */
export function modernClient(url, name) {
  const headers = {
    ...HEADERS,
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': 'greet',
  };
  return new (class extends Client {
    async call(id) {
      await this.expect(await fetch(url, { method: 'POST', headers, body: this.body(id, { _meta: CLAIM }) }), id);
    }
  })(name);
}

/** A way to connect, as something to copy. */
export interface Setup {
  readonly client: string;
  /** Where the text goes. */
  readonly where: string;
  readonly text: string;
}

export interface SetupOptions {
  /** What clients shall call the server. */
  readonly name: string;
  readonly url: string;
  /** The newest revision opened by a handshake, and the newest that names itself in every request. */
  readonly newest: { readonly handshake?: string | undefined; readonly everyRequest?: string | undefined };
}

/** A name every client accepts, whatever the server is called. */
export function clientName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'server' : plain;
}

/** How to connect the common clients. Everything is quoted for where it goes; escape it once more for HTML. */
export function setups({ name, url, newest }: SetupOptions): Setup[] {
  const word = shellQuote(url);
  return [
    { client: 'Claude Code', where: 'In a terminal', text: `claude mcp add --transport http ${name} ${word}` },
    {
      client: 'Claude Desktop',
      where: 'Settings → Developer → Edit config (claude_desktop_config.json)',
      text: json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url, ...bridgeFlags(url)] } } }),
    },
    { client: 'Cursor', where: '~/.cursor/mcp.json', text: json({ mcpServers: { [name]: { url } } }) },
    { client: 'VS Code', where: '.vscode/mcp.json', text: json({ servers: { [name]: { type: 'http', url } } }) },
    { client: 'Codex', where: '~/.codex/config.toml', text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}` },
    { client: 'Gemini CLI', where: 'In a terminal', text: `gemini mcp add --transport http ${name} ${word}` },
    { client: 'Parley', where: 'In a terminal', text: `npx parley-mcp list ${word}` },
    ...curls(word, newest),
  ];
}

// The bridge takes plain HTTP to another machine only when told that it may.
function bridgeFlags(url: string): string[] {
  return /^http:\/\/(?!localhost[:/]|127\.0\.0\.1[:/])/.test(url) ? ['--allow-http'] : [];
}

const CURL = { name: 'curl', version: '1.0' };

function curls(word: string, { handshake, everyRequest }: SetupOptions['newest']): Setup[] {
  const modern = everyRequest === undefined ? [] : [listByCurl(word, everyRequest)];
  const older = handshake === undefined ? [] : [openByCurl(word, handshake)];
  return [...modern, ...older];
}

function listByCurl(word: string, revision: string): Setup {
  const method = 'tools/list';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': CURL,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = [`MCP-Protocol-Version: ${revision}`, `Mcp-Method: ${method}`];
  return {
    client: `curl, ${revision}`,
    where: 'One request says it all: there is no session',
    text: curl(`curl -s ${word}`, headers, { method, params: { _meta } }),
  };
}

function openByCurl(word: string, revision: string): Setup {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CURL };
  return {
    client: `curl, ${revision}`,
    where: 'A session begins: send the Mcp-Session-Id of the answer with every request after it',
    text: curl(`curl -si ${word}`, [], { method: 'initialize', params }),
  };
}

function curl(command: string, headers: readonly string[], message: object): string {
  const given = ['Content-Type: application/json', 'Accept: application/json, text/event-stream', ...headers];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return [command, ...given.map((header) => `-H ${shellQuote(header)}`), `-d ${shellQuote(body)}`].join(' \\\n  ');
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** One word for a POSIX shell, quoted only where it must be. */
export function shellQuote(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

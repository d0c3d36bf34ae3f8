import { servePort } from '../host/port.ts';
import { openHost } from '../host/settings.ts';
import { ACCESS_HELP, ACCESS_OPTIONS, readAccess } from './access.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { readRate } from './rate.ts';
import { isOn, listOf, readServing, SERVING_HELP } from './serving.ts';
import { findMember, keepWorkers, readWorkers, settingsOf } from './workers.ts';

const OPTIONS = {
  host: { type: 'string' },
  port: { type: 'string' },
  endpoint: { type: 'string' },
  'allowed-hosts': { type: 'string' },
  'allowed-origins': { type: 'string' },
  'public-url': { type: 'string' },
  'trust-proxy': { type: 'string' },
  'allow-unauthenticated': { type: 'boolean' },
  store: { type: 'string' },
  workers: { type: 'string' },
  'rate-limit': { type: 'string' },
  'rate-burst': { type: 'string' },
  ...ACCESS_OPTIONS,
} as const;

/** Serves many clients over HTTP. */
export const serve: Command = {
  summary: 'Serve many clients over HTTP: every MCP revision on one endpoint',
  help: `Usage: parley serve [options]

Serves many clients over HTTP, every MCP revision on one endpoint. Only this machine can connect unless you say otherwise.

  --host ADDRESS           Where to listen (default: 127.0.0.1; environment: PARLEY_HOST)
  --port NUMBER            Port, 0 for any free one (default: 8808; environment: PARLEY_PORT)
  --endpoint PATH          Path of the endpoint (default: /mcp; environment: PARLEY_ENDPOINT)
  --allowed-hosts LIST     Names clients may reach the server by, besides this machine's own, with commas between them
                           (environment: PARLEY_ALLOWED_HOSTS)
  --allowed-origins LIST   Origins whose pages may use the server, such as https://app.example
                           (environment: PARLEY_ALLOWED_ORIGINS)
  --public-url URL         Where clients find the server when it stands behind a proxy (environment: PARLEY_PUBLIC_URL)
  --trust-proxy LIST       Addresses and networks of proxies whose X-Forwarded-… and Forwarded headers are believed, such
                           as 10.0.0.0/8 (default: none; environment: PARLEY_TRUST_PROXY)
  --allow-unauthenticated  Listen beyond this machine although nobody checks who asks
                           (environment: PARLEY_ALLOW_UNAUTHENTICATED=true)
  --store URL              Engine that keeps sessions and tasks (default: memory:; environment: PARLEY_STORE)
  --workers N              Processes that share the port, so that every core is used; one that dies is replaced, and SIGUSR2
                           replaces all, one after the other (default: 1; environment: PARLEY_WORKERS)
  --rate-limit N[/s]       Requests a second one principal or address may make, or "off"
                           (default: what the preset says, else off; environment: PARLEY_RATE_LIMIT)
  --rate-burst N           Requests it may make at once (environment: PARLEY_RATE_BURST)

${ACCESS_HELP}

${SERVING_HELP}

Example: parley serve --module ./my-tools.ts --port 9000

Ctrl-C and SIGTERM end it: calls in flight finish first. Exit code 0.`,
  async run(args, { env, say }) {
    const { settings, values } = readServing(args, env, OPTIONS);
    const text = (flag: keyof typeof OPTIONS): string | undefined => textOf(values[flag]) ?? env[variableOf(flag)];
    const endpoint = endpointOf(textOf(values['endpoint']) ?? settings.variables?.endpoint ?? '/mcp');
    const publicUrl = urlOf(text('public-url'));
    const { access, rules } = readAccess(text, env);
    const rateLimit = readRate(text('rate-limit'), text('rate-burst'));
    const workers = readWorkers(text('workers'));
    const member = await findMember(workers, env);
    const storeUrl = text('store') ?? 'memory:';
    const onReady = (url: string): void => say(connectText(`${publicUrl ?? url}${endpoint}`));
    if (workers > 1 && member === undefined) {
      await keepWorkers(settings, { count: workers, storeUrl, onReady });
      return EXIT.ok;
    }
    await servePort({
      host: text('host') ?? '127.0.0.1',
      port: portOf(text('port') ?? '8808'),
      allowedHosts: listOf(text('allowed-hosts')),
      allowedOrigins: listOf(text('allowed-origins')),
      publicUrl,
      trustProxy: listOf(text('trust-proxy')),
      access,
      allowUnauthenticated: values['allow-unauthenticated'] === true || isOn(env[variableOf('allow-unauthenticated')]),
      open: (store) => openHost({ ...settingsOf(settings, member), rateLimit, rules }, store),
      storeUrl,
      endpoint,
      member,
      // What to connect to is said once for all workers.
      onReady: member === undefined ? onReady : () => {},
    });
    return EXIT.ok;
  },
};

function connectText(url: string): string {
  return `Serving at ${url}

Connect a client:

  Claude Code      claude mcp add --transport http parley ${url}
  Other clients    { "mcpServers": { "parley": { "type": "http", "url": "${url}" } } }

Or look for yourself:

  npx parley list ${url}

Ctrl-C ends it.`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function variableOf(flag: string): string {
  return `PARLEY_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`Cannot use the port "${text}": give a number from 0 to 65535`);
}

function endpointOf(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text.length > 1 ? text.replace(/\/+$/, '') : text;
  throw new UsageError(`Cannot use the endpoint "${text}": give a path such as "/mcp"`);
}

/** An address without the slash at its end, so that a path can follow. */
function urlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && /^https?:/i.test(text)) return text.replace(/\/+$/, '');
  throw new UsageError(`Cannot use the public URL "${text}": give one such as "https://mcp.example"`);
}

import type { Json, JsonObject } from '../../src/model/json.ts';
import { type Client, connect } from '../../src/providers/upstream/client.ts';
import { openHttp } from '../../src/providers/upstream/http-link.ts';
import { openLegacySse } from '../../src/providers/upstream/legacy-sse-link.ts';

// The client the official conformance suite drives: one process a scenario, the server's address its last argument.

interface Context {
  readonly toolCalls?: readonly { name: string; arguments: JsonObject }[];
}

const SAMPLES: Readonly<Record<string, Json>> = { string: 'test', integer: 1, number: 1.5, boolean: true };

/** Something for every property the schema names. */
function sampleOf({ properties = {} }: JsonObject): JsonObject {
  const entries = Object.entries(properties as Record<string, { type?: string }>);
  return Object.fromEntries(entries.map(([name, { type = '' }]) => [name, SAMPLES[type] ?? {}]));
}

async function callAll(client: Client): Promise<void> {
  for (const { name, inputSchema } of await client.listTools()) await client.call(name, sampleOf(inputSchema));
}

async function callAsTold(client: Client, { toolCalls = [] }: Context): Promise<void> {
  await client.listTools();
  for (const { name, arguments: input } of toolCalls) await client.call(name, input);
}

async function useEverything(client: Client): Promise<void> {
  await callAll(client);
  for (const { uri } of await client.listResources()) await client.read(uri);
  for (const { name } of await client.listPrompts()) await client.prompt(name);
}

async function echoSchema(client: Client): Promise<void> {
  const [focal, echo] = await client.listTools();
  if (focal === undefined || echo === undefined) throw new Error('The suite offers two tools');
  await client.call(echo.name, { schema: focal.inputSchema });
}

/** What to do where calling every tool is not enough. */
const SCENARIOS: Readonly<Record<string, (client: Client, context: Context) => Promise<void>>> = {
  initialize: async (client) => void (await client.listTools()),
  'json-schema-ref-no-deref': async (client) => void (await client.listTools()),
  'http-standard-headers': useEverything,
  'http-custom-headers': callAsTold,
  'json-schema-2020-12-preservation': echoSchema,
};

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
// The suite runs what needs OAuth too; nothing is lost by leaving at once.
if (scenario.startsWith('auth/')) process.exit(1);
const target = { url: process.argv.at(-1) ?? '' };
const client = await connect(openHttp(target), {
  client: { name: 'parley', version: '0.0.0' },
  older: () => openLegacySse(target),
  log: (_, message) => console.error(message),
  onQuestion: {
    elicit: ({ schema }) => ({
      action: 'accept',
      // What has a default is left to the client.
      content: 'confirmed' in ((schema['properties'] ?? {}) as JsonObject) ? { confirmed: true } : {},
    }),
    elicitUrl: () => ({ action: 'decline' }),
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'none' }),
    roots: () => ({ roots: [] }),
  },
});
try {
  await (SCENARIOS[scenario] ?? callAll)(client, JSON.parse(context) as Context);
} finally {
  await client.close();
}

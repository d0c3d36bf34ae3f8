// One face for clients of every generation: `open(at, way)` resolves to it, where `at` is a command to start or a URL. A
// member a client cannot serve is absent.

import EventSource from 'eventsource';

// The first event-stream clients were written for browsers.
globalThis.EventSource ??= EventSource;

const INFO = { name: 'parley-clients', version: '1.0.0' };

/** What every client answers when the server asks. */
export const ANSWERS = {
  elicit: { action: 'accept', content: { name: 'Ada' } },
  sample: { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } },
  roots: { roots: [{ uri: 'file:///fixture', name: 'fixture' }] },
};

const CAPABILITIES = { sampling: {}, roots: { listChanged: true } };

/** The official SDK before its second major version: handlers are named by schemas, results are checked by them. */
export function openSdk(name, { elicits = false } = {}) {
  return async (at, way) => {
    const [{ Client }, types] = await Promise.all([import(`${name}/client/index.js`), import(`${name}/types.js`)]);
    const capabilities = { ...CAPABILITIES, ...(elicits ? { elicitation: {} } : {}) };
    const client = new Client(INFO, { capabilities });
    client.setRequestHandler(types.CreateMessageRequestSchema, async () => ANSWERS.sample);
    client.setRequestHandler(types.ListRootsRequestSchema, async () => ANSWERS.roots);
    if (elicits) client.setRequestHandler(types.ElicitRequestSchema, async () => ANSWERS.elicit);
    const on = (schema) => (listener) => client.setNotificationHandler(schema, ({ params }) => listener(params));
    await client.connect(await sdkTransport(name, at, way));
    return {
      ...common(client),
      call: (tool, input, options) => client.callTool({ name: tool, arguments: input }, undefined, options),
      onLog: on(types.LoggingMessageNotificationSchema),
      onToolsChanged: on(types.ToolListChangedNotificationSchema),
      onUpdated: on(types.ResourceUpdatedNotificationSchema),
      subscribe: (uri) => client.subscribeResource({ uri }),
      ping: () => client.ping(),
    };
  };
}

async function sdkTransport(name, at, way) {
  if (way === 'stdio') {
    const { StdioClientTransport } = await import(`${name}/client/stdio.js`);
    return new StdioClientTransport({ ...at, stderr: 'ignore' });
  }
  if (way === 'sse') {
    const { SSEClientTransport } = await import(`${name}/client/sse.js`);
    return new SSEClientTransport(at.url);
  }
  const { StreamableHTTPClientTransport } = await import(`${name}/client/streamableHttp.js`);
  return new StreamableHTTPClientTransport(at.url);
}

/** The official client from its second major version on; `mode` says how it finds the revision. */
export function openClient(mode) {
  return async (at, way) => {
    const { Client } = await import('@modelcontextprotocol/client');
    const changes = new Set();
    const client = new Client(INFO, {
      capabilities: { ...CAPABILITIES, elicitation: {} },
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes.forEach((tell) => tell()) } },
    });
    client.setRequestHandler('elicitation/create', async () => ANSWERS.elicit);
    client.setRequestHandler('sampling/createMessage', async () => ANSWERS.sample);
    client.setRequestHandler('roots/list', async () => ANSWERS.roots);
    await client.connect(await clientTransport(at, way));
    const legacy = client.getProtocolEra() === 'legacy';
    return {
      ...common(client),
      call: (tool, input, options) => client.callTool({ name: tool, arguments: input }, options),
      onToolsChanged: (listener) => changes.add(listener),
      onUpdated: (listener) =>
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => listener(params)),
      subscribe: (uri) =>
        legacy ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }),
      ...(legacy
        ? {
            ping: () => client.ping(),
            onLog: (listener) =>
              client.setNotificationHandler('notifications/message', ({ params }) => listener(params)),
          }
        : {}),
    };
  };
}

async function clientTransport(at, way) {
  if (way === 'stdio') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return new StdioClientTransport({ ...at, stderr: 'ignore' });
  }
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import('@modelcontextprotocol/client');
  return way === 'sse' ? new SSEClientTransport(at.url) : new StreamableHTTPClientTransport(at.url);
}

function common(client) {
  return {
    server: () => client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    prompts: async () => (await client.listPrompts()).prompts,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: (prompt, input) => client.getPrompt({ name: prompt, arguments: input }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion,
    close: () => client.close(),
  };
}

/** A client that shares no code with the official one. */
export function openAiSdk(discovers) {
  return async (at, way) => {
    const { createMCPClient, ElicitationRequestSchema } = await import('@ai-sdk/mcp');
    const client = await createMCPClient({
      transport: await aiTransport(at, way),
      capabilities: { elicitation: {} },
      protocolVersionDiscovery: discovers,
    });
    client.onElicitationRequest(ElicitationRequestSchema, () => ANSWERS.elicit);
    return {
      server: () => client.serverInfo,
      tools: async () => (await client.listTools()).tools,
      resources: async () => (await client.listResources()).resources,
      templates: async () => (await client.listResourceTemplates()).resourceTemplates,
      prompts: async () => (await client.listPrompts()).prompts,
      call: (tool, input, options) => client.callTool({ name: tool, arguments: input, options }),
      read: async (uri) => (await client.readResource({ uri })).contents,
      prompt: (prompt, input) => client.getPrompt({ name: prompt, arguments: input }),
      complete: async (ref, argument) => (await client.complete({ ref, argument })).completion,
      close: () => client.close(),
    };
  };
}

async function aiTransport(at, way) {
  if (way !== 'stdio') return { type: way, url: at.url.href };
  const { Experimental_StdioMCPTransport: Transport } = await import('@ai-sdk/mcp/mcp-stdio');
  const transport = new Transport({ ...at, stderr: 'ignore' });
  // Else it gives a server one second to start, and takes a slower one for an old one.
  transport.waitsForProtocolVersionDiscovery = true;
  return transport;
}

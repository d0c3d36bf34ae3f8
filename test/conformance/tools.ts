import { setTimeout as pause } from 'node:timers/promises';
import { type Server, ToolError } from 'parley-mcp';
import { NOTHING, PIXEL, SILENCE, text } from './content.ts';

const PAUSE_MS = 50;

const header = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'Mirrored into a header', 'x-mcp-header': 'Region' },
    level: { type: 'integer', description: 'Not mirrored' },
  },
} as const;

const everyKeyword = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

/** Tools that answer by themselves. The suite calls the first tool of the list without arguments. */
export function addTools(server: Server): void {
  server.tool(
    'test_x_mcp_header',
    { description: 'Has an argument that a header mirrors', input: header },
    ({ region }) => `region=${String(region)}`,
  );
  addContentTools(server);
  server.tool('test_error_handling', { description: 'Fails', input: NOTHING }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });
  server.tool('test_tool_with_logging', { description: 'Logs while it works', input: NOTHING }, async (_, call) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      call.log('info', said);
      await pause(PAUSE_MS);
    }
    return 'Tool with logging executed successfully';
  });
  server.tool('test_logging_tool', { description: 'Logs once', input: NOTHING }, (_, call) => {
    call.log('info', 'Only those who asked for it see this');
    return 'Logged';
  });
  server.tool('test_tool_with_progress', { description: 'Says how far it is', input: NOTHING }, async (_, call) => {
    for (const done of [0, 50, 100]) {
      call.progress(done, 100, `Completed step ${done} of 100`);
      await pause(PAUSE_MS);
    }
    return 'Tool with progress executed successfully';
  });
  server.tool('test_reconnection', { description: 'Lets the client go meanwhile', input: NOTHING }, async (_, call) => {
    call.release();
    await pause(2 * PAUSE_MS);
    return 'Reconnection test completed successfully';
  });
  server.tool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with many keywords', input: everyKeyword },
    (input) => JSON.stringify(input),
  );
  addTriggers(server);
}

function addContentTools(server: Server): void {
  server.tool(
    'test_simple_text',
    { description: 'Answers with text', input: NOTHING },
    () => 'This is a simple text response for testing.',
  );
  server.tool('test_image_content', { description: 'Answers with a picture', input: NOTHING }, () => [PIXEL]);
  server.tool('test_audio_content', { description: 'Answers with a sound', input: NOTHING }, () => [SILENCE]);
  server.tool('test_embedded_resource', { description: 'Answers with a resource', input: NOTHING }, () => [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]);
  server.tool('test_multiple_content_types', { description: 'Answers with several kinds', input: NOTHING }, () => [
    text('Multiple content types test:'),
    PIXEL,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]);
}

function embedded(uri: string, mimeType: string, content: string) {
  return { type: 'resource', resource: { uri, mimeType, text: content } } as const;
}

/** Tools that change a list: an item comes and goes. */
function addTriggers(server: Server): void {
  server.tool('test_trigger_tool_change', { description: 'Changes the list of tools', input: NOTHING }, () => {
    server.tool('test_passing_tool', { description: 'Is gone in a moment', input: NOTHING }, () => 'Here').remove();
    return 'The list of tools changed';
  });
  server.tool('test_trigger_prompt_change', { description: 'Changes the list of prompts', input: NOTHING }, () => {
    server.prompt('test_passing_prompt', { description: 'Is gone in a moment' }, () => 'Here').remove();
    return 'The list of prompts changed';
  });
}

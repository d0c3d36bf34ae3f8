import type { OpenClient } from '../host/client.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { showJson, showTable } from './showing.ts';
import { readTarget, TARGET_HELP, withClient } from './target.ts';

const KINDS = ['tools', 'resources', 'templates', 'prompts'] as const;
type Kind = (typeof KINDS)[number];
type Lists = { -readonly [K in Kind]?: Awaited<ReturnType<(typeof READERS)[K]>> };

const READERS = {
  tools: (client: OpenClient) => client.listTools(),
  resources: (client: OpenClient) => client.listResources(),
  templates: (client: OpenClient) => client.listTemplates(),
  prompts: (client: OpenClient) => client.listPrompts(),
};

/** Shows what a server offers. */
export const list: Command = {
  summary: 'Show the tools, resources, templates and prompts of a server',
  help: `Usage: parley list <url> [tools|resources|templates|prompts] [options]
       parley list [tools|resources|templates|prompts] [options] -- command args…

Reaches a server by its URL, or starts one, shows what it offers, and ends what it started. Without a kind it shows
everything the server says it has.

${TARGET_HELP}

Example: parley list http://127.0.0.1:8808/mcp
Example: parley list tools -- npx parley stdio`,
  async run(args, terminal) {
    const pointed = readTarget(args);
    const kinds = readKinds(pointed.words);
    return withClient(pointed, terminal, async (client) => {
      const lists = await fetchLists(client, kinds);
      terminal.print(pointed.json ? showJson(document(client, lists)) : showLists(client, lists));
      return EXIT.ok;
    });
  },
};

function readKinds(words: readonly string[]): Kind | undefined {
  const [word, extra] = words;
  if (extra !== undefined) throw new UsageError(`Too many words: "${extra}". Name one of ${KINDS.join(', ')}`);
  if (word === undefined) return undefined;
  const kind = KINDS.find((known) => known === word);
  if (kind === undefined) throw new UsageError(`Cannot list "${word}". There are: ${KINDS.join(', ')}`);
  return kind;
}

async function fetchLists(client: OpenClient, only: Kind | undefined): Promise<Lists> {
  const lists: Record<string, unknown> = {};
  for (const kind of only === undefined ? offered(client) : [only]) lists[kind] = await READERS[kind](client);
  return lists as Lists;
}

/** What the server said it has; templates go with resources. */
function offered({ server: { capabilities } }: OpenClient): readonly Kind[] {
  return KINDS.filter((kind) => capabilities[kind === 'templates' ? 'resources' : kind] !== undefined);
}

function document({ server }: OpenClient, lists: Lists): object {
  const { info, revision, instructions } = server;
  return { server: info, revision, ...(instructions === undefined ? {} : { instructions }), ...lists };
}

function showLists({ server: { info, revision } }: OpenClient, lists: Lists): string {
  const sections = Object.entries(rowsOf(lists)).map(([kind, rows]) => {
    return rows.length === 0 ? `${kind}: none` : `${kind}:\n${showTable(rows)}`;
  });
  const shown = sections.length === 0 ? ['The server offers nothing'] : sections;
  return [`${info.title ?? info.name} ${info.version} (MCP ${revision})`, ...shown].join('\n\n');
}

function rowsOf({ tools, resources, templates, prompts }: Lists): Record<string, [string, string][]> {
  return {
    ...(tools && { tools: tools.map(({ name, description = '' }) => [name, description]) }),
    ...(resources && { resources: resources.map(({ uri, name, description }) => [uri, description ?? name]) }),
    ...(templates && {
      templates: templates.map(({ uriTemplate, name, description }) => [uriTemplate, description ?? name]),
    }),
    ...(prompts && { prompts: prompts.map(({ name, description = '' }) => [name, description]) }),
  };
}

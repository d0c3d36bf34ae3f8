import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Tool } from '../model/items.ts';
import type { JsonObject } from '../model/json.ts';
import { type Limits, limitsWith } from '../model/limits.ts';
import { buildCatalog } from './catalog.ts';
import type { Mount, Offer, ToolEntry } from './provider.ts';
import { screenOffer } from './screening.ts';

const HIDDEN = '\u202e\u{e0041}\u200b';

function tool(name: string, more: Partial<Tool> = {}): ToolEntry {
  return { tool: { name, inputSchema: { type: 'object' }, ...more }, run: () => ({ content: [] }) };
}

function screen(offer: Offer, limits: Partial<Limits> = {}) {
  const logged: string[] = [];
  const log = (severity: string, message: string): void => void logged.push(`${severity} ${message}`);
  return { offer: screenOffer(offer, { label: 'far', log, limits: limitsWith(limits) }), logged };
}

const shownOf = ({ offer }: { offer: Offer }): Tool | undefined => offer.tools?.[0]?.tool;

describe('screenOffer', () => {
  it('leaves what is sound as the very same entries', () => {
    const offer = { tools: [tool('add', { description: 'Adds 👩‍🚀' })] };
    const screened = screen(offer);
    assert.equal(screened.offer.tools?.[0], offer.tools[0]);
    assert.deepEqual(screened.logged, []);
  });

  it('takes invisible characters out of every text of a definition, with one line for all', () => {
    const inputSchema: JsonObject = {
      type: 'object',
      title: `t${HIDDEN}`,
      properties: { a: { type: 'string', description: `d${HIDDEN}`, default: `x${HIDDEN}`, enum: ['\t', ','] } },
      $defs: { b: { oneOf: [{ const: 1, title: `one${HIDDEN}` }] } },
    };
    const texts = { title: `T${HIDDEN}`, description: `D${HIDDEN}`, annotations: { title: `A${HIDDEN}` } };
    const screened = screen({ tools: [tool('a', { ...texts, inputSchema }), tool('b', texts)] });
    const shown = shownOf(screened);
    assert.doesNotMatch(JSON.stringify(screened.offer.tools?.map((entry) => entry.tool)), /[\u202e\u200b]|\udb40/);
    assert.deepEqual([shown?.title, shown?.description, shown?.annotations?.title], ['T', 'D', 'A']);
    assert.deepEqual(screened.logged, [
      'warn Took invisible characters out of the texts of the tools "a", "b" of "far"',
    ]);
    assert.equal(inputSchema['title'], `t${HIDDEN}`, 'what a source holds is its own');
  });

  for (const [what, offer] of Object.entries({
    'a tool by its name': { tools: [tool(`add${HIDDEN}`)] },
    'a tool by the name of an argument': {
      tools: [tool('add', { inputSchema: { type: 'object', properties: { [`a${HIDDEN}`]: {} } } })],
    },
    'a tool by a value to choose': {
      tools: [tool('add', { inputSchema: { type: 'object', properties: { a: { enum: [`x${HIDDEN}`] } } } })],
    },
    'a prompt': { prompts: [{ prompt: { name: `p${HIDDEN}` }, get: () => ({ messages: [] }) }] },
    'a prompt by an argument': {
      prompts: [{ prompt: { name: 'p', arguments: [{ name: `a${HIDDEN}` }] }, get: () => ({ messages: [] }) }],
    },
    'a resource by its address': { resources: [{ resource: { name: 'r', uri: `x:${HIDDEN}` }, read: () => [] }] },
    'a template': {
      templates: [
        {
          template: { name: 't', uriTemplate: `x:${HIDDEN}{a}` },
          variables: ['a'],
          match: () => undefined,
          read: () => [],
        },
      ],
    },
  } satisfies Record<string, Offer>)) {
    it(`leaves out ${what} that is not what it looks like, and names it in the log so that it can be seen`, () => {
      const { offer: left, logged } = screen(offer);
      const items = [left.tools, left.prompts, left.resources, left.templates].flat();
      assert.deepEqual(items, []);
      assert.equal(logged.length, 1);
      assert.match(logged[0] ?? '', /^warn Left out .* of "far": .*\\u202e/);
      assert.doesNotMatch(logged[0] ?? '', /[\u202e\u200b]/);
    });
  }

  it('cuts a description that is too long, at a character, with a mark', () => {
    const screened = screen({ tools: [tool('a', { description: `${'x'.repeat(9)}😀yy` })] }, { descriptionLength: 10 });
    assert.equal(shownOf(screened)?.description, `${'x'.repeat(9)} […]`);
    assert.deepEqual(screened.logged, ['warn Cut texts that are too long of the tools "a" of "far"']);
  });

  it('leaves out a definition that is too long, too deep or no JSON', () => {
    const cycle: JsonObject = { type: 'object' };
    cycle['self'] = cycle;
    let deep: JsonObject = {};
    for (let level = 0; level < 5000; level += 1) deep = { items: deep };
    const wide = { type: 'object', properties: { a: { enum: ['x'.repeat(1000)] } } };
    const tools = [
      tool('wide', { inputSchema: wide }),
      tool('deep', { inputSchema: deep }),
      tool('cycle', { inputSchema: cycle }),
    ];
    const { offer, logged } = screen({ tools: [...tools, tool('fine')] }, { definitionLength: 500 });
    assert.deepEqual(
      offer.tools?.map((entry) => entry.tool.name),
      ['fine'],
    );
    assert.equal(logged.length, 3);
    assert.match(logged[0] ?? '', /tool "wide" of "far": its definition is longer than 500 characters/);
  });

  it('looks closely at what is short and printable but written with escapes, deep, or longer than a text may be', () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 250; level += 1) deep = { items: deep };
    const listed = { type: 'object', enum: [JSON.parse('['.repeat(250) + ']'.repeat(250))] };
    const refused = [
      tool('ab', { inputSchema: { type: 'object', properties: { 'a\nb': {} } } }),
      tool('cd', { inputSchema: { type: 'object', properties: { a: { enum: ['\u0007'] } } } }),
      tool('half', { inputSchema: { type: 'object', required: ['\ud83d'] } }),
      tool('deep', { inputSchema: { type: 'object', ...deep } }),
      tool('listed', { inputSchema: listed }),
    ];
    const bell = tool('bell', { description: 'a\u0007b' });
    const long = tool('long', { description: 'x'.repeat(200) });
    const { offer, logged } = screen({ tools: [...refused, bell, long] }, { descriptionLength: 150 });
    assert.deepEqual(
      offer.tools?.map((entry) => [entry.tool.name, entry.tool.description]),
      [
        ['bell', 'ab'],
        ['long', `${'x'.repeat(150)} […]`],
      ],
    );
    assert.equal(logged.length, 7);
  });

  it('takes no more items than a source may have', () => {
    const tools = Array.from({ length: 5 }, (_, at) => tool(`t${at}`));
    const { offer, logged } = screen({ tools }, { itemsPerSource: 3 });
    assert.equal(offer.tools?.length, 3);
    assert.deepEqual(logged, ['warn Left out 2 of the tools of "far": at most 3 are taken']);
  });

  it('floods no log', () => {
    const tools = Array.from({ length: 500 }, (_, at) => tool(`t${at}${HIDDEN}`));
    assert.equal(screen({ tools }).logged.length, 20);
  });

  it('says what it did to a definition once, however often it is mounted anew', () => {
    const offer = { tools: [tool('a', { description: HIDDEN }), tool(`b${HIDDEN}`)] };
    assert.equal(screen(offer).logged.length, 2);
    const again = screen(offer);
    assert.deepEqual(again.logged, []);
    assert.equal(shownOf(again)?.description, '');
    assert.equal(again.offer.tools?.length, 1);
  });

  it('goes on calling an entry on the entry', async () => {
    class Counting {
      readonly tool: Tool = { name: 'count', description: HIDDEN, inputSchema: { type: 'object' } };
      #count = 0;
      run() {
        this.#count += 1;
        return { content: [{ type: 'text' as const, text: String(this.#count) }] };
      }
    }
    const { offer } = screen({ tools: [new Counting()] });
    assert.deepEqual(await offer.tools?.[0]?.run({}, {} as never), { content: [{ type: 'text', text: '1' }] });
  });
});

describe('a source of others', () => {
  const mounted = (
    offer: Offer,
    {
      namespace,
      name = 'far',
      foreign = true,
    }: Partial<Record<'namespace' | 'name', string>> & { foreign?: boolean } = {},
  ): Mount => ({
    provider: { name, foreign, load: () => offer },
    ...(namespace === undefined ? {} : { namespace }),
  });
  async function build(...mounts: Mount[]) {
    const logged: string[] = [];
    const log = (_: string, message: string): void => void logged.push(message);
    const catalog = await buildCatalog(mounts, { pageSize: 100, log });
    return { names: catalog.tools().tools.map(({ name }) => name), logged, catalog };
  }

  it('cannot take the place of what is there: the first stays, and the log says who wanted it', async () => {
    const near = mounted({ tools: [tool('add', { title: 'near' })] }, { name: 'near', foreign: false });
    const { catalog, names, logged } = await build(
      near,
      mounted({ tools: [tool('add', { title: 'far' }), tool('sub')] }),
    );
    assert.deepEqual(names, ['add', 'sub']);
    assert.equal(catalog.findTool('add')?.tool.title, 'near');
    assert.deepEqual(logged, ['Left out an item: Cannot mount "far": tool "add" is already mounted by "near"']);
  });

  it('cannot make a name that could be read in two ways', async () => {
    const { names, logged } = await build(
      mounted({ tools: [tool('b__c'), tool('b')] }, { namespace: 'a' }),
      mounted({ tools: [tool('mcp__a__b'), tool('a__b'), tool('bad name')] }, { name: 'other' }),
    );
    assert.deepEqual(names, ['a__b']);
    assert.equal(logged.length, 4);
    assert.match(logged[0] ?? '', /Cannot mount "a": the name "b__c" may not hold "__"/);
  });

  it('is warned of when its names look like those of another', async () => {
    const near = mounted({ tools: [tool('get_user'), tool('getUser')] }, { name: 'near' });
    const { logged } = await build(
      near,
      mounted({ tools: [tool('Get-User'), tool('add1')] }),
      mounted({ tools: [tool('addl')] }, { name: 'third' }),
    );
    assert.deepEqual(logged, [
      'The tool "Get-User" of "far" looks like "get_user" of "near"',
      'The tool "addl" of "third" looks like "add1" of "far"',
    ]);
  });

  it('still refuses at once what two authors of one server both offer', async () => {
    const near = mounted({ tools: [tool('add')] }, { foreign: false });
    await assert.rejects(build(near, mounted({ tools: [tool('add')] }, { foreign: false })), TypeError);
  });
});

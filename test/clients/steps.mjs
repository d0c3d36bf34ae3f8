import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// What is asked of every client. A step gets `{ peer, client, records }`; it returns `false` when this client cannot take it.

const KINDS = ['text', 'image', 'audio', 'resource', 'resource_link'];

/** The kinds of content a revision has words for; the rest arrives as text. */
function kindsOf(revision) {
  if (revision < '2025-03-26') return KINDS.map((kind) => (['audio', 'resource_link'].includes(kind) ? 'text' : kind));
  return revision < '2025-06-18' ? KINDS.map((kind) => (kind === 'resource_link' ? 'text' : kind)) : KINDS;
}

const said = (result) => result.content[0].text;
const by = (items, name) => items.find((item) => item.name === name) ?? assert.fail(`"${name}" is not listed`);

/** Rejects unless the listener is called soon. */
async function hears(listen, cause) {
  const heard = new Promise((resolve) => listen(resolve));
  await cause();
  const late = AbortSignal.timeout(3000);
  return Promise.race([
    heard,
    new Promise((_, reject) => late.addEventListener('abort', () => reject(new Error('Nothing was heard')))),
  ]);
}

async function fails(promise, pattern) {
  const message = await promise.then(
    (result) => (result?.isError === true ? said(result) : undefined),
    (error) => String(error.message),
  );
  assert.ok(message !== undefined, 'It should have failed');
  assert.match(message, pattern);
  return message;
}

export const STEPS = {
  identity: ({ client }) => {
    assert.equal(client.server().name, 'clients-fixture');
    assert.equal(client.server().version, '1.2.3');
  },
  tools: async ({ client, peer }) => {
    const tools = await client.tools();
    assert.deepEqual(by(tools, 'echo').inputSchema.required, ['text']);
    assert.equal(by(tools, 'add').description, 'Adds two numbers');
    if (peer.revision >= '2025-06-18') assert.equal(by(tools, 'add').outputSchema.type, 'object');
    if (peer.revision >= '2025-06-18') assert.equal(by(tools, 'echo').title, 'Echo');
  },
  resources: async ({ client }) => {
    assert.equal(by(await client.resources(), 'note').uri, 'fixture://note');
  },
  templates: async ({ client }) => {
    assert.equal(by(await client.templates(), 'city').uriTemplate, 'fixture://city/{name}');
  },
  prompts: async ({ client }) => {
    const {
      arguments: [city],
    } = by(await client.prompts(), 'visit');
    assert.deepEqual({ name: city.name, required: city.required }, { name: 'city', required: true });
  },
  call: async ({ client }) => {
    const texts = ['one', 'zwölf ☕', '"\\\n', ''];
    const results = await Promise.all(texts.map((text) => client.call('echo', { text })));
    assert.deepEqual(results.map(said), texts);
  },
  content: async ({ client, peer }) => {
    const { content } = await client.call('everything', {});
    assert.deepEqual(
      content.map(({ type }) => type),
      kindsOf(peer.revision),
    );
    assert.ok(content[1].data.length > 0);
    assert.equal(content[3].resource.text, 'embedded');
  },
  structured: async ({ client, peer }) => {
    const result = await client.call('add', { a: 2, b: 40 });
    assert.deepEqual(JSON.parse(said(result)), { sum: 42 });
    if (peer.revision >= '2025-06-18') assert.deepEqual(result.structuredContent, { sum: 42 });
    else assert.equal(result.structuredContent, undefined);
  },
  'bad input': async ({ client }) => {
    await fails(client.call('add', { a: 'two' }), /add/);
    await fails(client.call('echo', {}), /text/);
  },
  failure: async ({ client }) => {
    const result = await client.call('fail', {});
    assert.equal(result.isError, true);
    assert.match(said(result), /The kettle is empty: fill it/);
  },
  crash: async ({ client }) => {
    const message = await fails(client.call('crash', {}), /crash/);
    assert.doesNotMatch(message, /secret|kettle/);
  },
  unknown: async ({ client }) => {
    await fails(client.call('no-such-tool', {}), /no-such-tool/);
  },
  read: async ({ client }) => {
    const [note] = await client.read('fixture://note');
    assert.deepEqual([note.uri, note.mimeType, note.text], ['fixture://note', 'text/plain', 'first']);
    const [pixel] = await client.read('fixture://pixel');
    assert.ok(pixel.blob.startsWith('iVBOR'));
    const [city] = await client.read('fixture://city/Lima');
    assert.deepEqual(JSON.parse(city.text), { name: 'Lima' });
    await fails(client.read('fixture://nowhere'), /nowhere/);
  },
  prompt: async ({ client }) => {
    const { messages } = await client.prompt('visit', { city: 'Lima' });
    assert.equal(messages[0].content.text, 'I want to see Lima');
    assert.deepEqual([messages[1].role, messages[1].content.type], ['assistant', 'image']);
    await fails(client.prompt('visit', {}), /city/);
  },
  complete: async ({ client }) => {
    const { values } = await client.complete({ type: 'ref/prompt', name: 'visit' }, { name: 'city', value: 'Li' });
    assert.deepEqual(values, ['Lima', 'Lisbon']);
    const ref = { type: 'ref/resource', uri: 'fixture://city/{name}' };
    assert.deepEqual((await client.complete(ref, { name: 'name', value: 'P' })).values, ['Paris']);
  },
  ping: async ({ client }) => {
    if (client.ping === undefined) return false;
    await client.ping();
  },
  progress: async ({ client, peer }) => {
    if (!peer.can.includes('progress')) return false;
    // A client that is slow to read may find the last message and the answer together, and then forgets the listener
    // before it looks at the message. Asked again it has the chance to read in time; a message never sent stays missing.
    let seen = [];
    for (let tries = 0; tries < 3 && seen.length < 3; tries += 1) {
      seen = [];
      const onprogress = ({ progress, total }) => seen.push([progress, total]);
      const result = await client.call('count', { to: 3 }, { onprogress });
      assert.equal(said(result), 'counted to 3');
    }
    assert.deepEqual(seen, [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  },
  cancel: async ({ client, peer }) => {
    if (!peer.can.includes('cancel')) return false;
    const controller = new AbortController();
    const call = client.call('wait', {}, { signal: controller.signal });
    const rejected = assert.rejects(call);
    await pause(50);
    controller.abort(new Error('Enough'));
    await rejected;
    for (let left = 40; said(await client.call('cancelled', {})) !== '1'; left -= 1) {
      assert.ok(left > 0, 'The tool was not told');
      await pause(25);
    }
  },
  elicit: async ({ client, peer }) => {
    if (!peer.can.includes('elicit')) return void (await fails(client.call('greet', {}), /ask|capability/i));
    assert.equal(said(await client.call('greet', {})), 'Hello, Ada');
  },
  sample: async ({ client, peer }) => {
    if (!peer.can.includes('sample')) return void (await fails(client.call('capital', {}), /ask|capability/i));
    assert.equal(said(await client.call('capital', {})), 'It is Paris');
  },
  roots: async ({ client, peer }) => {
    if (!peer.can.includes('roots')) return void (await fails(client.call('roots', {}), /ask|capability/i));
    assert.equal(said(await client.call('roots', {})), 'file:///fixture');
  },
  log: async ({ client }) => {
    if (client.onLog === undefined) return false;
    const { level, data, logger } = await hears(client.onLog, () => client.call('log', {}));
    assert.deepEqual({ level, data, logger }, { level: 'warning', data: { kettle: 'hot' }, logger: 'kitchen' });
  },
  changed: async ({ client }) => {
    if (client.onToolsChanged === undefined) return false;
    await hears(client.onToolsChanged, () => client.call('grow', {}));
    assert.equal(by(await client.tools(), 'grown').description, 'Was not there before');
  },
  updated: async ({ client }) => {
    if (client.subscribe === undefined) return false;
    await client.subscribe('fixture://note');
    const { uri } = await hears(client.onUpdated, () => client.call('touch', {}));
    assert.equal(uri, 'fixture://note');
    assert.equal((await client.read('fixture://note'))[0].text, 'second');
  },
  stdout: async ({ client }) => {
    assert.equal(said(await client.call('print', {})), 'printed');
    assert.equal(said(await client.call('echo', { text: 'still here' })), 'still here');
  },
  shutdown: async ({ client, records }) => {
    await client.close();
    for (const { heard, code, signal, orphans, strays } of await records()) {
      assert.deepEqual({ orphans, strays }, { orphans: false, strays: [] });
      // A server that was only probed is sent a signal while it ends by itself, and may die of it.
      if (heard.some((method) => method !== 'server/discover'))
        assert.deepEqual({ code, signal }, { code: 0, signal: null });
    }
  },
  revision: async ({ peer, records }) => {
    const all = await records();
    const { asked, agreed, claimed } = all.find(({ heard }) => heard.includes('tools/call'));
    if (peer.revision < '2026')
      assert.deepEqual({ asked, agreed, claimed }, { asked: peer.revision, agreed: peer.revision, claimed: [] });
    else assert.deepEqual({ asked, claimed }, { asked: undefined, claimed: [peer.revision] });
  },
};

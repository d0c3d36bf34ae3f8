import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Dialect } from '../dialects/dialect.ts';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers } from '../dialects/opening.ts';
import type { JsonObject } from '../model/json.ts';
import { limitsWith } from '../model/limits.ts';
import type { WireId } from '../model/peer.ts';
import { Hub, Watching } from './watch.ts';

const speakers = createSpeakers({ revisions: REVISIONS, server: { name: 'x', version: '1' } });
const modern = speakers.modern ?? assert.fail();

function desk({ pushed, shared = false }: { pushed?: Dialect; shared?: boolean } = {}) {
  const hub = new Hub();
  const sent: { message: JsonObject; about: WireId | undefined }[] = [];
  const watching = new Watching({
    hub,
    limits: limitsWith({ watchedUris: 2, listens: 2 }),
    shared,
    send: (text, about) => sent.push({ message: JSON.parse(text), about }),
    pushed,
    lists: ['tools', 'resources'],
  });
  return { hub, sent, watching, methods: () => sent.map(({ message }) => message['method']) };
}

describe('Watching', () => {
  it('tells a session of lists, and of the resources it watches', () => {
    const { hub, watching, sent } = desk({ pushed: speakers.assumed });
    watching.watch('a:1');
    hub.publish({ kind: 'changed', list: 'tools' });
    assert.deepEqual(sent, []);
    watching.join();
    hub.publish({ kind: 'changed', list: 'tools' });
    hub.publish({ kind: 'updated', uri: 'a:1' });
    hub.publish({ kind: 'updated', uri: 'a:2' });
    watching.unwatch('a:1');
    hub.publish({ kind: 'updated', uri: 'a:1' });
    assert.deepEqual(
      sent.map(({ message, about }) => [message['method'], about]),
      [
        ['notifications/tools/list_changed', undefined],
        ['notifications/resources/updated', undefined],
      ],
    );
    watching.leave();
    hub.publish({ kind: 'changed', list: 'tools' });
    assert.equal(sent.length, 2);
  });

  it('watches so many resources and no more, counting each once', () => {
    const { watching } = desk();
    watching.watch('a:1');
    watching.watch('a:2');
    watching.watch('a:2');
    assert.throws(() => watching.admit('a:3'), { code: 'E_BUSY' });
    watching.admit('a:2');
    assert.deepEqual(watching.uris, ['a:1', 'a:2']);
    watching.unwatch('a:1');
    watching.admit('a:3');
    watching.watch('a:3');
  });

  it('tells each subscription what it chose, and nothing once it stopped', () => {
    const { hub, watching, sent, methods } = desk();
    assert.equal(watching.listen('one', { dialect: modern, filter: { tools: true } }), true);
    assert.equal(watching.listen('two', { dialect: modern, filter: { uris: ['a:1'], prompts: true } }), true);
    hub.publish({ kind: 'changed', list: 'tools' });
    hub.publish({ kind: 'changed', list: 'resources' });
    hub.publish({ kind: 'updated', uri: 'a:1' });
    hub.publish({ kind: 'updated', uri: 'a:2' });
    watching.stop('one');
    watching.stop('one');
    hub.publish({ kind: 'changed', list: 'tools' });
    const acknowledged = 'notifications/subscriptions/acknowledged';
    assert.deepEqual(methods(), [
      acknowledged,
      acknowledged,
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ]);
    assert.deepEqual(
      sent.map(({ about }) => about),
      ['one', 'two', 'one', 'two'],
    );
  });

  it('refuses more subscriptions, and longer ones, than its limits', () => {
    const { watching, sent } = desk();
    const wide = { dialect: modern, filter: { uris: ['a:1', 'a:2', 'a:3'] } };
    assert.throws(() => watching.listen('wide', wide), { code: 'E_BUSY' });
    assert.throws(() => watching.listen('wide', { dialect: modern, filter: { tasks: ['1', '2', '3'] } }), {
      code: 'E_BUSY',
    });
    assert.deepEqual(sent, []);
    for (const id of ['one', 'two']) watching.listen(id, { dialect: modern, filter: { tools: true } });
    assert.throws(() => watching.listen('three', { dialect: modern, filter: { tools: true } }), { code: 'E_BUSY' });
  });

  it('acknowledges a subscription to nothing, and does not keep it', () => {
    const { hub, watching, methods } = desk();
    assert.equal(watching.listen('none', { dialect: modern, filter: {} }), false);
    hub.publish({ kind: 'changed', list: 'tools' });
    assert.deepEqual(methods(), ['notifications/subscriptions/acknowledged']);
  });

  it('ends every subscription with its result, and by name where others share the way', () => {
    for (const shared of [true, false]) {
      const { watching, sent } = desk({ shared });
      watching.listen(0, { dialect: modern, filter: { tools: true } });
      const finished: WireId[] = [];
      watching.end((id) => finished.push(id));
      watching.end((id) => finished.push(id));
      assert.deepEqual(finished, [0]);
      assert.equal(sent[1]?.message['id'], 0);
      assert.equal(sent[2]?.message['method'], shared ? 'notifications/cancelled' : undefined);
    }
  });
});

describe('Hub', () => {
  it('knows which tasks somebody follows, however many do', () => {
    const hub = new Hub();
    hub.follow(['a', 'b'], 1);
    hub.follow(['a'], 1);
    hub.follow(['a', 'b', 'c'], -1);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => hub.follows(id)),
      [true, false, false],
    );
  });
});

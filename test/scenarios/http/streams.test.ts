import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json.ts';
import { KEY, LEGACY, type RevisionId } from '../revisions.ts';
import { type Heard, sendAndLeave } from './heard.ts';
import { textIn } from './http-peer.ts';
import { obligation, scenario } from './obligation.ts';

const SESSIONS: readonly RevisionId[] = LEGACY.slice(1);
const TOKEN = { meta: { progressToken: 'p' } };
const FORM = { elicitation: {}, sampling: {}, roots: {} };
const MESSAGE = { method: 'notifications/message', params: { level: 'error' } };

function changeTools({ server }: { server: { tool: (...args: never[]) => unknown } }, name: string): void {
  (server.tool as (name: string, spec: object, run: () => string) => void)(name, {}, () => 'new');
}

function methods(heard: Heard): unknown[] {
  return heard.messages.map(({ method }) => method);
}

const CHANGED = 'notifications/tools/list_changed';

obligation(
  'HTTP-14',
  'the stream of a request carries what belongs to it, the standing stream the rest',
  async (_, peer, scene) => {
    const standing = await peer.listen();
    const busy = await peer.call('march', { steps: 2, gate: 'g' }, TOKEN);
    await scene.fixture.gate('g').entered;
    changeTools(scene.fixture, 'later');
    assert.equal((await standing.message())['method'], CHANGED);
    scene.fixture.gate('g').open();
    await busy.ended();
    assert.deepEqual(methods(busy), ['notifications/progress', 'notifications/progress', undefined]);
    assert.deepEqual(methods(standing), [CHANGED]);
    standing.cut();
  },
);

obligation(
  'HTTP-14',
  'questions are asked on the stream of the request they belong to',
  { declares: FORM },
  async (_, peer) => {
    const standing = await peer.listen();
    const heard = await peer.call('ponder');
    const question = await heard.message('sampling/createMessage');
    const answer = { role: 'assistant', content: { type: 'text', text: 'Because' }, model: 'm' };
    assert.equal((await peer.reply(question, answer)).status, 202);
    assert.match(textIn(await peer.answer(heard)), /^m: .*Because/);
    assert.deepEqual(standing.events, []);
    standing.cut();
  },
);

obligation(
  'HTTP-15',
  'the stream of a request carries its notices and no question',
  { declares: FORM },
  async (_, peer, scene) => {
    const others = await Promise.all(
      ['a', 'b'].map((gate) => peer.call('march', { steps: 3, gate }, { meta: { progressToken: gate } })),
    );
    for (const gate of ['a', 'b']) await scene.fixture.gate(gate).entered;
    changeTools(scene.fixture, 'later');
    for (const gate of ['a', 'b']) scene.fixture.gate(gate).open();
    for (const [at, gate] of ['a', 'b'].entries()) {
      const heard = others[at] as Heard;
      await heard.ended();
      const [last, ...notices] = heard.messages.reverse();
      assert.equal(textIn(last as JsonObject), 'there');
      assert.equal(notices.length, 3);
      for (const { method, id, params } of notices) {
        assert.equal(method, 'notifications/progress');
        assert.equal(id, undefined);
        assert.equal((params as JsonObject)['progressToken'], gate);
      }
    }
    const asked = await peer.call('greet');
    assert.equal(asked.status, 200);
    assert.equal(((await peer.answer(asked))['result'] as JsonObject)['resultType'], 'input_required');
  },
);

obligation('HTTP-16', 'the standing stream carries no answer, unless it takes up another', async (_, peer, scene) => {
  const standing = await peer.listen();
  const quiet = await peer.call('march', { steps: 2 }, { ...TOKEN, headers: { accept: 'application/json' } });
  assert.equal(textIn(await quiet.json()), 'there');
  const cut = await peer.call('march', { steps: 1, gate: 'g' }, TOKEN);
  const { id } = await nextWithData(cut);
  cut.cut();
  scene.fixture.gate('g').open();
  const again = await peer.listen(id);
  assert.equal(textIn(await peer.answer(again)), 'there');
  assert.deepEqual(methods(standing), ['notifications/progress', 'notifications/progress']);
  standing.cut();
});

obligation('HTTP-17', 'a message goes out on one stream: the newest standing one', async (_, peer, scene) => {
  const first = await peer.listen();
  const second = await peer.listen();
  await first.ended();
  const other = await scene.peer(peer.revision).open();
  const foreign = await other.listen();
  changeTools(scene.fixture, 'later');
  await second.message(CHANGED);
  await foreign.message(CHANGED);
  second.cut();
  foreign.cut();
  assert.deepEqual(first.events, []);
  assert.deepEqual(methods(second), [CHANGED]);
});

obligation('HTTP-18', 'a client that is cut off finds its answer when it comes back', async (_, peer, scene) => {
  const heard = await peer.call('march', { steps: 2, gate: 'g' }, TOKEN);
  const { id } = await nextWithData(heard);
  heard.cut();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(scene.fixture.signals.get('g')?.aborted, false);
  scene.fixture.gate('g').open();
  assert.equal(textIn(await peer.answer(peer.listen(id))), 'there');
});

obligation('HTTP-18', 'a client that leaves before anything was said cancels nothing', async (_, peer, scene) => {
  const message = peer.message('tools/call', { name: 'wait', arguments: { name: 'w' } });
  const sent = { method: 'POST', path: '/mcp', headers: peer.headersFor(message), body: JSON.stringify(message) };
  await sendAndLeave(peer.port, sent, scene.fixture.gate('w').entered);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(scene.fixture.signals.get('w')?.aborted, false);
  // Its id is still in use: the call goes on.
  assert.equal((await peer.post(message)).status, 400);
  scene.fixture.gate('w').open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await peer.post(message)).status, 200);
});

obligation('HTTP-19', 'a client that hangs up cancels, and the handler is told', async (_, peer, scene) => {
  const { signals, gate } = scene.fixture;
  const heard = await peer.call('march', { steps: 2, gate: 'g' }, TOKEN);
  await nextWithData(heard);
  await gate('g').entered;
  assert.equal(signals.get('g')?.aborted, false);
  heard.cut();
  await until(() => signals.get('g')?.aborted === true);
  const said = heard.events.length;
  gate('g').open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(heard.events.length, said);
  assert.equal(
    scene.logged.some((line) => line.includes('"severity":"error"')),
    false,
  );
});

obligation(
  'HTTP-20',
  'event ids are unique in a session, name their stream, and bring back no other',
  async (_, peer, scene) => {
    const standing = await peer.listen();
    const streams = await Promise.all(
      ['a', 'b', 'c'].map((gate) => peer.call('march', { steps: 3, gate }, { meta: { progressToken: gate } })),
    );
    for (const gate of ['a', 'b', 'c']) await scene.fixture.gate(gate).entered;
    changeTools(scene.fixture, 'later');
    await standing.message();
    for (const gate of ['a', 'b', 'c']) scene.fixture.gate(gate).open();
    for (const stream of streams) await stream.ended();
    const ids = [standing, ...streams].map(({ events }) => events.map(({ id }) => id as string));
    assert.equal(new Set(ids.flat()).size, ids.flat().length);
    assert.ok(ids.flat().every((id) => id !== undefined && /^[\x21-\x7e]+$/.test(id)));
    for (const [at, gate] of ['a', 'b', 'c'].entries()) {
      const { events } = streams[at] as Heard;
      const again = await peer.listen(events[0]?.id);
      await again.ended();
      assert.deepEqual(
        again.events.map(({ id, data }) => ({ id, data })),
        events.slice(1).map(({ id, data }) => ({ id, data })),
        gate,
      );
    }
    standing.cut();
  },
);

obligation(
  'HTTP-20',
  'the events of another session are not to be had, with or without its ids',
  async (_, peer, scene) => {
    const other = await scene.peer(peer.revision).open();
    const mine = await peer.call('march', { steps: 3 }, TOKEN);
    await mine.ended();
    const id = mine.events[0]?.id as string;
    const refused = await other.listen(id);
    assert.equal(refused.status, 400);
    const theirs = await other.call('march', { steps: 3 }, { meta: { progressToken: 'theirs' } });
    await theirs.ended();
    const again = await other.listen(id);
    await again.ended();
    assert.ok(
      again.messages.every(
        ({ params }) => params === undefined || (params as JsonObject)['progressToken'] === 'theirs',
      ),
    );
  },
);

obligation('HTTP-20', 'an event id nobody gave is refused with 400', async (_, peer) => {
  const heard = await peer.call('march', { steps: 2 }, TOKEN);
  await heard.ended();
  const last = heard.events.at(-1)?.id as string;
  const [stream] = last.split('.') as [string];
  for (const id of [
    `${stream}.99`,
    's99.0',
    '0.7',
    '',
    'x',
    's1',
    '1',
    `${stream}.-1`,
    `${stream}.1e0`,
    '../0.0',
    `${stream}.1\t`,
  ]) {
    const refused = await peer.listen(id);
    refused.cut();
    assert.equal(refused.status, id === `${stream}.1\t` ? 200 : 400, id);
  }
});

scenario(
  SESSIONS,
  'cut after any event, and taken up again: every event comes once and in order',
  async (_, peer, scene) => {
    const whole = await peer.call('march', { steps: 5 }, TOKEN);
    await whole.ended();
    const expected = whole.messages.map((message) => ({ ...message, id: undefined }));
    for (let k = 0; k < whole.events.length; k += 1) {
      const first = await peer.call('march', { steps: 5, gate: `g${k}` }, TOKEN);
      const late = whole.events[k]?.data?.includes('"result"') === true;
      if (late) scene.fixture.gate(`g${k}`).open();
      await first.until(() => first.events.length > k, `event ${k}`);
      first.cut();
      const had = first.events.slice(0, k + 1);
      // The reader comes back twice more, each time cut after one event, and then reads to the end.
      for (let round = 0; round < 2; round += 1) {
        if (had.length >= whole.events.length - 1) break;
        const more = await peer.listen(had.at(-1)?.id);
        had.push(await more.event());
        more.cut();
      }
      scene.fixture.gate(`g${k}`).open();
      const rest = await peer.listen(had.at(-1)?.id);
      await rest.ended();
      const all = [...had, ...rest.events].flatMap(({ data = '' }) => (data === '' ? [] : [JSON.parse(data)]));
      assert.deepEqual(
        all.map((message) => ({ ...message, id: undefined })),
        expected,
        `cut after event ${k}`,
      );
    }
  },
);

scenario(
  SESSIONS,
  'the standing stream is taken up where it was cut, and from the start by who never read',
  async (_, peer, scene) => {
    for (const name of ['one', 'two', 'three']) {
      changeTools(scene.fixture, name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const first = await peer.listen();
    const event = await first.event();
    await first.event();
    first.cut();
    changeTools(scene.fixture, 'four');
    const again = await peer.listen(event.id);
    for (let at = 0; at < 3; at += 1) await again.message(CHANGED);
    changeTools(scene.fixture, 'five');
    await again.message(CHANGED);
    assert.equal(new Set(again.events.map(({ id }) => id)).size, 4);
    again.cut();
  },
);

scenario(
  SESSIONS,
  'a gap is refused with 400: what fell out of the outbox cannot be had',
  { limits: { outboxEvents: 3 } },
  async (_, peer) => {
    const heard = await peer.call('march', { steps: 6 }, TOKEN);
    await heard.ended();
    const ids = heard.events.map(({ id }) => id as string);
    assert.equal((await peer.listen(ids[0])).status, 400);
    const kept = await peer.listen(ids.at(-4));
    await kept.ended();
    assert.deepEqual(
      kept.events.map(({ id }) => id),
      ids.slice(-3),
    );
  },
);

scenario(
  SESSIONS,
  'only so many streams are kept for who comes back',
  { limits: { streamsKept: 2 } },
  async (_, peer) => {
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const heard = await peer.call('march', { steps: 1 }, TOKEN);
      await heard.ended();
      ids.push(heard.events[0]?.id as string);
    }
    assert.equal((await peer.listen(ids[0])).status, 400);
    assert.equal((await peer.listen(ids[3])).status, 200);
  },
);

scenario(
  ['2025-11-25'],
  'polling: a released call is asked for again and again until it answers',
  async (_, peer, scene) => {
    const heard = await peer.call('leave', {}, TOKEN);
    await heard.ended();
    const id = heard.events[0]?.id as string;
    for (let round = 0; round < 3; round += 1) {
      const poll = await peer.listen(id);
      assert.equal(poll.status, 200);
      poll.cut();
    }
    assert.equal(scene.fixture.signals.get('leave')?.aborted, false);
    const last = await peer.listen(id);
    scene.fixture.gate('leave').open();
    assert.equal(textIn(await peer.answer(last)), 'back');
  },
);

scenario(
  ['2025-11-25'],
  'an answer that takes its time becomes a stream to come back to',
  { limits: { streamAfterMs: 10 } },
  async (_, peer, scene) => {
    const heard = await peer.call('wait', { name: 'w' });
    assert.equal(heard.streams, true);
    const { id, data } = await heard.event();
    assert.equal(data, '');
    heard.cut();
    scene.fixture.gate('w').open();
    assert.equal(textIn(await peer.answer(peer.listen(id))), 'done');
  },
);

scenario(
  ['2025-03-26', '2025-06-18', '2026-07-28'],
  'no stream begins with an empty event, and none says when to come back',
  { limits: { streamAfterMs: 1 } },
  async (_, peer, scene) => {
    const slow = peer.call('wait', { name: 'w' });
    await scene.fixture.gate('w').entered;
    await new Promise((resolve) => setTimeout(resolve, 20));
    scene.fixture.gate('w').open();
    assert.equal((await slow).headers['content-type'], 'application/json');
    const heard = await peer.call('march', { steps: 2 }, TOKEN);
    await heard.ended();
    assert.ok(heard.events.every(({ data, retry }) => data !== '' && retry === undefined));
  },
);

scenario(['2026-07-28'], 'no event has an id: nothing can be taken up again', async (_, peer) => {
  const heard = await peer.call('march', { steps: 2 }, TOKEN);
  await heard.ended();
  assert.ok(heard.events.every(({ id }) => id === undefined));
});

scenario(SESSIONS, 'a cancelled call ends its response without an answer', async (_, peer, scene) => {
  const plain = peer.request('tools/call', { name: 'wait', arguments: { name: 'w' } }, { id: 'plain' });
  await scene.fixture.gate('w').entered;
  await peer.notify('notifications/cancelled', { requestId: 'plain' });
  const heard = await plain;
  assert.equal(heard.status, 202);
  assert.equal(await heard.text(), '');
  const streaming = await peer.request(
    'tools/call',
    { name: 'march', arguments: { steps: 1, gate: 'm' } },
    { id: 'told', ...TOKEN },
  );
  await streaming.message('notifications/progress');
  await peer.notify('notifications/cancelled', { requestId: 'told' });
  await streaming.ended();
  assert.deepEqual(methods(streaming), ['notifications/progress']);
  assert.equal(scene.fixture.signals.get('m')?.aborted, true);
});

scenario(
  SESSIONS,
  'a second request under an id in flight is refused, and the first is answered',
  async (revision, peer, scene) => {
    const first = peer.request('tools/call', { name: 'wait', arguments: { name: 'w' } }, { id: 'same' });
    await scene.fixture.gate('w').entered;
    const second = await peer.post(
      peer.message('tools/call', { name: 'echo', arguments: { text: 'x' } }, { id: 'same' }),
    );
    assert.equal(second.status, 400);
    const { id, error } = await second.json();
    assert.equal(id, revision === '2025-11-25' ? undefined : null);
    assert.equal((error as JsonObject)['code'], -32600);
    assert.equal(((error as JsonObject)['data'] as JsonObject)['requestId'], 'same');
    scene.fixture.gate('w').open();
    const answer = await peer.answer(first);
    assert.equal(answer['id'], 'same');
    assert.equal(textIn(answer), 'done');
  },
);

scenario(['2026-07-28'], 'one id may be in flight in many requests: each stands alone', async (_, peer, scene) => {
  const ask = (name: string) => peer.request('tools/call', { name: 'wait', arguments: { name } }, { id: 'same' });
  const both = [ask('a'), ask('b')];
  for (const gate of ['a', 'b']) await scene.fixture.gate(gate).entered;
  for (const gate of ['a', 'b']) scene.fixture.gate(gate).open();
  for (const heard of both) assert.equal(textIn(await peer.answer(heard)), 'done');
});

scenario(
  ['2026-07-28'],
  'a subscription is acknowledged, tagged, kept alive, and ends with a result at shutdown',
  { limits: { keepAliveMs: 20 } },
  async (_, peer, scene) => {
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['test://text'] };
    const heard = await peer.request('subscriptions/listen', { notifications }, { id: 'sub' });
    const ack = await heard.message('notifications/subscriptions/acknowledged');
    assert.deepEqual((ack['params'] as JsonObject)['notifications'], notifications);
    changeTools(scene.fixture, 'later');
    await heard.message(CHANGED);
    await heard.until(() => heard.comments.length > 1, 'signs of life');
    await scene.shutdown();
    await heard.ended();
    const [ended] = heard.messages.slice(-1) as [JsonObject];
    assert.equal(ended['id'], 'sub');
    assert.equal((ended['result'] as JsonObject)['resultType'], 'complete');
    for (const { params, result } of heard.messages)
      assert.equal((((params ?? result) as JsonObject)['_meta'] as JsonObject)[KEY.subscription], 'sub');
    assert.equal(methods(heard).includes('notifications/cancelled'), false);
  },
);

scenario(['2026-07-28'], 'who hangs up a subscription is told nothing more', async (_, peer, scene) => {
  const subscribe = (id: string) =>
    peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id });
  const [one, two] = await Promise.all([subscribe('one'), subscribe('two')]);
  for (const heard of [one, two]) await heard.message('notifications/subscriptions/acknowledged');
  one.cut();
  await new Promise((resolve) => setTimeout(resolve, 20));
  changeTools(scene.fixture, 'later');
  const { params } = await two.message(CHANGED);
  assert.equal(((params as JsonObject)['_meta'] as JsonObject)[KEY.subscription], 'two');
  assert.equal(one.events.length, 1);
  two.cut();
});

scenario(['2026-07-28'], 'a subscription to nothing is acknowledged and over', async (_, peer) => {
  const heard = await peer.request('subscriptions/listen', { notifications: {} }, { id: 'sub' });
  await heard.ended();
  assert.deepEqual(methods(heard), ['notifications/subscriptions/acknowledged', undefined]);
});

scenario(
  ['2025-06-18', '2025-11-25'],
  'questions wait on the stream of their request, also for a reader that was cut',
  { declares: FORM },
  async (_, peer) => {
    const heard = await peer.call('greet', undefined, TOKEN);
    await heard.until(() => heard.messages.length > 0, 'a question');
    const before = heard.events.at(-2)?.id;
    const question = await heard.message('elicitation/create');
    heard.cut();
    const id = before ?? heard.events[0]?.id;
    const again = await peer.listen(id);
    await peer.reply(question, { action: 'accept', content: { name: 'Ada' } });
    assert.equal(textIn(await peer.answer(again)), 'Hello, Ada');
    peer.problems.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...peer.problems.filter((text) => !text.startsWith('a question asked twice')),
    );
  },
);

scenario(
  ['2025-06-18', '2025-11-25'],
  'a client that reads no stream is asked on the standing one',
  { declares: FORM },
  async (_, peer) => {
    const standing = await peer.listen();
    const asking = peer.call('greet', undefined, { headers: { accept: 'application/json' } });
    const question = await standing.message('elicitation/create');
    await peer.reply(question, { action: 'decline' });
    assert.equal(textIn(await peer.answer(asking)), 'You chose to decline');
    standing.cut();
  },
);

scenario(SESSIONS, 'log messages go the way of their request', async (_, peer) => {
  await peer.result('logging/setLevel', { level: 'error' });
  const heard = await peer.call('chatter');
  await heard.ended();
  assert.deepEqual(
    heard.messages.slice(0, -1).map(({ method, params }) => [method, (params as JsonObject)['level']]),
    ['error', 'critical', 'alert', 'emergency'].map((level) => [MESSAGE.method, level]),
  );
});

async function nextWithData(heard: Heard): Promise<{ id: string }> {
  for (;;) {
    const { id, data } = await heard.event();
    if (data !== '') return { id: id as string };
  }
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!done()) {
    assert(performance.now() < deadline, 'it never happened');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

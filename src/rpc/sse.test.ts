import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { commentText, EventTooLong, eventText, type ReadEvent, SseReader } from './sse.ts';

function read(chunks: readonly Uint8Array[], limit = 10_000): ReadEvent[] {
  const reader = new SseReader(limit);
  return chunks.flatMap((chunk) => reader.push(chunk));
}

function inTwo(bytes: Buffer): Buffer[][] {
  return Array.from({ length: bytes.length + 1 }, (_, place) => [bytes.subarray(0, place), bytes.subarray(place)]);
}

function oneByOne(bytes: Buffer): Buffer[] {
  return [...bytes].map((byte) => Buffer.from([byte]));
}

describe('eventText', () => {
  const cases: readonly [Parameters<typeof eventText>[0], string][] = [
    [{ data: '{}' }, 'data: {}\n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ data: '{}', id: 's:1' }, 'id: s:1\ndata: {}\n\n'],
    [{ data: '/messages', event: 'endpoint' }, 'event: endpoint\ndata: /messages\n\n'],
    [{ data: '', id: '', retryMs: 0 }, 'id: \nretry: 0\ndata: \n\n'],
    [{ data: 'x', id: '1', event: 'e', retryMs: 500 }, 'id: 1\nevent: e\nretry: 500\ndata: x\n\n'],
  ];
  for (const [event, text] of cases) {
    it(`writes ${JSON.stringify(event)}`, () => assert.equal(eventText(event), text));
  }

  for (const part of ['data', 'id', 'event'] as const) {
    for (const mark of ['\n', '\r', 'a\r\nb']) {
      it(`refuses ${JSON.stringify(mark)} in ${part}, which would start a line of its own`, () => {
        assert.throws(() => eventText({ data: 'x', [part]: mark }), TypeError);
      });
    }
  }

  it('refuses a NUL in an id, which readers ignore', () => {
    assert.throws(() => eventText({ data: 'x', id: 'a\0' }), TypeError);
    assert.equal(eventText({ data: 'a\0' }), 'data: a\0\n\n');
  });

  it('writes a comment on one line', () => {
    assert.equal(commentText('keep-alive'), ': keep-alive\n\n');
    assert.throws(() => commentText('a\ndata: forged'), TypeError);
  });
});

describe('SseReader', () => {
  const message = (data: string, id?: string, event = 'message'): ReadEvent => ({ data, event, id });
  const cases: readonly [string, readonly ReadEvent[]][] = [
    ['data: a\n\n', [message('a')]],
    ['data: a\r\n\r\n', [message('a')]],
    ['data: a\r\r', [message('a')]],
    ['data:a\n\n', [message('a')]],
    ['data:  a\n\n', [message(' a')]],
    ['data\n\n', [message('')]],
    ['data: a\ndata: b\n\n', [message('a\nb')]],
    ['data:\ndata:\n\n', [message('\n')]],
    ['id: 1\ndata: a\n\ndata: b\n\n', [message('a', '1'), message('b', '1')]],
    ['id: 1\n\ndata: b\n\n', [message('b', '1')]],
    ['id: 1\ndata: a\n\nid\ndata: b\n\n', [message('a', '1'), message('b', '')]],
    ['id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n', [message('a', '1'), message('b', '1')]],
    ['event: endpoint\ndata: /m\n\ndata: x\n\n', [message('/m', undefined, 'endpoint'), message('x')]],
    ['event: ping\n\ndata: x\n\n', [message('x')]],
    [': a comment\n\n', []],
    [': a comment\ndata: x\n\n', [message('x')]],
    ['\n\n\n', []],
    ['data: unfinished\n', []],
    ['nothing: known\ndata: x\n\n', [message('x')]],
    ['\uFEFFdata: x\n\n', [message('x')]],
    ['data: \uFEFFx\n\n', [message('\uFEFFx')]],
    ['data: zwölf 🎈 €\r\n\r\n', [message('zwölf 🎈 €')]],
    ['data: a: b\n\n', [message('a: b')]],
  ];

  for (const [text, events] of cases) {
    it(`reads ${JSON.stringify(text)} the same wherever it is cut`, () => {
      const bytes = Buffer.from(text);
      assert.deepEqual(read([bytes]), events);
      for (const chunks of inTwo(bytes)) assert.deepEqual(read(chunks), events);
      assert.deepEqual(read(oneByOne(bytes)), events);
    });
  }

  it('reads back whatever was written, however it is cut', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, '·'));
    const event = fc.record(
      { data: line, id: line, event: line.filter((text) => text !== '') },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(400), { maxLength: 8 }), (events, places) => {
        const bytes = Buffer.from(events.map(eventText).join(commentText('between')));
        const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const chunks = cuts.slice(1).map((place, index) => bytes.subarray(cuts[index], place));
        assert.deepEqual(read(chunks), events);
      }),
      { numRuns: 500 },
    );
  });

  it('reads any bytes the same wherever they are cut, and never fails on them', () => {
    const soup = fc
      .array(fc.constantFrom(...Buffer.from('data:id event\r\n\r\n\0'), 0xc3, 0xa4, 0xff, 0xef, 0xbb, 0xbf), {
        maxLength: 60,
      })
      .map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(soup, fc.nat(60), (bytes, place) => {
        const whole = read([bytes]);
        assert.deepEqual(read([bytes.subarray(0, place), bytes.subarray(place)]), whole);
        assert.deepEqual(read(oneByOne(bytes)), whole);
      }),
      { numRuns: 1000 },
    );
  });

  it('remembers the id of an event that ended, and not of one that did not', () => {
    const reader = new SseReader(100);
    assert.equal(reader.lastId, undefined);
    reader.push(Buffer.from('id: 1\ndata: a\n\nid: 2\ndata: b\n'));
    assert.equal(reader.lastId, '1');
    reader.push(Buffer.from('\n'));
    assert.equal(reader.lastId, '2');
    reader.push(Buffer.from('id: 3\ndata: \n\n'));
    assert.equal(reader.lastId, '3');
  });

  it('remembers how long to wait before coming back, if that is a number', () => {
    const reader = new SseReader(100);
    reader.push(Buffer.from('retry: 250\n\n'));
    assert.equal(reader.retryMs, 250);
    for (const bad of ['retry: -1\n', 'retry: 1.5\n', 'retry: soon\n', 'retry:\n', 'retry: 1e3\n']) {
      reader.push(Buffer.from(bad));
      assert.equal(reader.retryMs, 250, bad);
    }
  });

  it('gives up on an event over its limit, in one line or in many', () => {
    assert.throws(() => read([Buffer.from(`data: ${'x'.repeat(200)}`)], 100), EventTooLong);
    assert.throws(() => read(oneByOne(Buffer.from(`data: ${'x'.repeat(200)}`)), 100), EventTooLong);
    assert.throws(() => read([Buffer.from('data: x\n'.repeat(60))], 100), EventTooLong);
    assert.throws(() => read([Buffer.from(`:${'x'.repeat(200)}`)], 100), EventTooLong);
  });

  it('does not count events that are over', () => {
    assert.equal(read([Buffer.from('data: 12345678\n\n'.repeat(100))], 20).length, 100);
  });

  it('reads a long line that comes in many chunks in time that grows with its length alone', () => {
    const chunk = Buffer.alloc(64, 'x');
    const reader = new SseReader(16 * 1024 * 1024);
    reader.push(Buffer.from('data: '));
    const started = performance.now();
    for (let count = 0; count < 100_000; count += 1) reader.push(chunk);
    const [event] = reader.push(Buffer.from('\n\n'));
    assert.equal(event?.data.length, 6_400_000);
    assert.ok(performance.now() - started < 5000);
  });
});

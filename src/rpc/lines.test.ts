import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LineReader, Overlong } from './lines.ts';

const TOO_LONG = '<too long>';

function read(chunks: readonly Buffer[], limit: number): string[] {
  const reader = new LineReader(limit);
  const lines: string[] = [];
  const take = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      lines.push(line instanceof Overlong ? TOO_LONG : line.toString('latin1'));
      if (typeof line === 'string') assert.match(line, /^[\0-\x7f]*$/);
    }
  };
  for (const chunk of chunks) {
    reader.push(chunk);
    take();
  }
  reader.end();
  take();
  return lines;
}

function naive(bytes: Buffer, limit: number): string[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, '')).map((line) => (line.length > limit ? TOO_LONG : line));
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((place, index) => bytes.subarray(sorted[index], place));
}

const stream = fc
  .array(fc.constantFrom(0x0a, 0x0a, 0x0d, 0x61, 0x62, 0x20, 0xff, 0xc3), { maxLength: 60 })
  .map((bytes) => Buffer.from(bytes));

describe('LineReader', () => {
  it('reads the same lines however the bytes were cut', () => {
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.nat(60), { maxLength: 12 }),
        fc.integer({ min: 0, max: 12 }),
        (bytes, places, limit) => {
          assert.deepEqual(read(cut(bytes, places), limit), naive(bytes, limit));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('reads the same lines when cut in two at every place', () => {
    const bytes = Buffer.from('one\r\n\r\n\ntwelve bytes\r\nthirteen byte\r\ntail\r');
    const expected = ['one', '', '', 'twelve bytes', TOO_LONG, 'tail'];
    assert.deepEqual(naive(bytes, 12), expected);
    for (let place = 0; place <= bytes.length; place += 1) assert.deepEqual(read(cut(bytes, [place]), 12), expected);
  });

  it('reads the same lines one byte at a time', () => {
    const bytes = Buffer.from('alpha\nbeta\r\n\ngamma is too long\nomega');
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    assert.deepEqual(read(single, 5), ['alpha', 'beta', '', TOO_LONG, 'omega']);
  });

  it('takes what is left without a newline as a line', () => {
    assert.deepEqual(read([Buffer.from('a\nb')], 9), ['a', 'b']);
    assert.deepEqual(read([Buffer.from('a\n')], 9), ['a']);
    assert.deepEqual(read([], 9), []);
  });

  it('reports a line over its limit as soon as the limit is passed, once, and keeps the stream', () => {
    const reader = new LineReader(4);
    reader.push(Buffer.from('1234'));
    assert.equal(reader.next(), undefined);
    reader.push(Buffer.from('5'));
    const overlong = reader.next();
    assert.ok(overlong instanceof Overlong);
    assert.equal(overlong.size, 5);
    assert.equal(reader.next(), undefined);
    reader.push(Buffer.from('6789'));
    assert.equal(reader.next(), undefined);
    reader.push(Buffer.from('0\nnext\n'));
    assert.equal(String(reader.next()), 'next');
    assert.equal(reader.next(), undefined);
  });

  it('says nothing more of a line over its limit that the stream ends in', () => {
    assert.deepEqual(read([Buffer.from('12345'), Buffer.from('67')], 4), [TOO_LONG]);
  });

  it('does not count the carriage return of the line end', () => {
    assert.deepEqual(read([Buffer.from('1234\r'), Buffer.from('\n')], 4), ['1234']);
    assert.deepEqual(read([Buffer.from('1234\r'), Buffer.from('5\n')], 4), [TOO_LONG]);
    assert.deepEqual(read([Buffer.from('1234\r\r\n')], 4), [TOO_LONG]);
  });

  it('gives lines of an ASCII chunk as text', () => {
    const reader = new LineReader(100);
    reader.push(Buffer.from('first\nsecond\r\n'));
    assert.equal(reader.next(), 'first');
    assert.equal(reader.next(), 'second');
  });

  it('gives lines of any other chunk as views of it', () => {
    const reader = new LineReader(100);
    const chunk = Buffer.from('first\nzwölf\n');
    reader.push(chunk);
    for (const offset of [0, 6]) {
      const line = reader.next();
      assert.ok(line instanceof Buffer);
      assert.equal(line.buffer, chunk.buffer);
      assert.equal(line.byteOffset, chunk.byteOffset + offset);
    }
  });

  it('keeps lines that were not taken when the next chunk comes', () => {
    const reader = new LineReader(100);
    reader.push(Buffer.from('a\nb\nc'));
    assert.equal(String(reader.next()), 'a');
    reader.push(Buffer.from('d\n'));
    assert.equal(String(reader.next()), 'b');
    assert.equal(String(reader.next()), 'cd');
    assert.equal(reader.next(), undefined);
  });

  it('holds little more than the limit, however long the line', () => {
    const limit = 1024 * 1024;
    const reader = new LineReader(limit);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    let reports = 0;
    let peak = 0;
    for (let n = 0; n < 1024; n += 1) {
      reader.push(chunk);
      if (reader.next() instanceof Overlong) reports += 1;
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }
    assert.equal(reports, 1);
    assert.ok(peak <= 4 * limit, `held ${peak} bytes`);
  });

  it('joins a line of many small chunks in time that grows with its length only', () => {
    const reader = new LineReader(4 * 1024 * 1024);
    const piece = Buffer.alloc(16, 'x');
    const started = process.cpuUsage();
    for (let n = 0; n < 200_000; n += 1) {
      reader.push(piece);
      assert.equal(reader.next(), undefined);
    }
    reader.push(Buffer.from('\n'));
    const line = reader.next();
    assert.ok(line instanceof Buffer);
    assert.equal(line.length, 3_200_000);
    assert.ok(process.cpuUsage(started).user < 5_000_000, 'copying the line again for every chunk takes minutes');
  });
});

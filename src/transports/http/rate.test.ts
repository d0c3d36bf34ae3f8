import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchanged, type FakeRequest } from '../../../test/http/fake-exchange.ts';
import { silent } from '../../model/log.ts';
import type { Handler } from './exchange.ts';
import { type Admission, callerOf, rateLimited } from './rate.ts';

const answers: Handler = (exchange) => exchange.reply(200, '{}');
const OPEN: Admission = { ok: true };
const SHUT: Admission = { ok: false, retryAfterMs: 1500 };

const ask = (handler: Handler, request: FakeRequest = {}) => exchanged(handler, { method: 'POST', ...request });

describe('rateLimited', () => {
  it('lets in whom its bucket lets in, without a promise', () => {
    const handler = rateLimited(answers, { take: () => OPEN, log: silent });
    assert.equal(handler({ remote: '1.2.3.4', reply: () => {} } as never), undefined);
  });

  it('refuses the others in words for programs and for models, and leaves the handler alone', async () => {
    const never: Handler = () => assert.fail('the handler ran');
    for (const take of [() => SHUT, () => Promise.resolve(SHUT)]) {
      const refused = await ask(rateLimited(never, { take, log: silent }));
      assert.equal(refused.status, 429);
      assert.equal(refused.sent['retry-after'], '2');
      const { jsonrpc, error } = refused.json<{ jsonrpc: string; error: { code: number; message: string } }>();
      assert.equal(jsonrpc, '2.0');
      assert.deepEqual(error, {
        code: -31001,
        message: 'Too many requests: wait 2 seconds, then send this one again. It was not read, and nothing was done',
        data: { reason: 'rate', code: 'E_RATE', retryAfterMs: 1500 },
      });
    }
  });

  it('never asks to come back at once', async () => {
    const take = (): Admission => ({ ok: false, retryAfterMs: 0 });
    assert.equal((await ask(rateLimited(answers, { take, log: silent }))).sent['retry-after'], '1');
  });

  it('waits for an engine that answers later', async () => {
    const handler = rateLimited(answers, { take: () => Promise.resolve(OPEN), log: silent });
    assert.equal((await ask(handler)).status, 200);
  });

  it('lets everybody in when nobody can count, and says so once an outage', async () => {
    const broken = () => {
      throw new Error('away');
    };
    const rejects = () => Promise.reject(new Error('away'));
    for (const trouble of [broken, rejects]) {
      const logged: string[] = [];
      let away = true;
      const take = (): Admission | Promise<Admission> => (away ? trouble() : OPEN);
      const handler = rateLimited(answers, { take, log: (severity) => void logged.push(severity) });
      for (let times = 0; times < 3; times += 1) assert.equal((await ask(handler)).status, 200);
      assert.deepEqual(logged, ['warn']);
      away = false;
      assert.equal((await ask(handler)).status, 200);
      away = true;
      assert.equal((await ask(handler)).status, 200);
      assert.deepEqual(logged, ['warn', 'warn']);
    }
  });

  it('does not take the failure of a handler for one of the store', async () => {
    let runs = 0;
    const failing: Handler = () => {
      runs += 1;
      throw new Error('broken');
    };
    for (const take of [() => OPEN, () => Promise.resolve(OPEN)]) {
      await assert.rejects(ask(rateLimited(failing, { take, log: silent })), /broken/);
    }
    assert.equal(runs, 2);
  });
});

describe('callerOf', () => {
  const at = (remote: string) => callerOf({ principal: undefined, remote });

  it('knows a principal wherever it comes from, and takes nobody for an address', () => {
    const principal = { id: '1.2.3.4', scopes: [] };
    assert.equal(callerOf({ principal, remote: '5.6.7.8' }), callerOf({ principal, remote: '9.9.9.9' }));
    assert.notEqual(callerOf({ principal, remote: '5.6.7.8' }), at('1.2.3.4'));
  });

  it('tells IPv4 addresses apart, in both spellings', () => {
    assert.notEqual(at('10.0.0.1'), at('10.0.0.2'));
    assert.equal(at('::ffff:10.0.0.1'), at('10.0.0.1'));
  });

  it('takes all addresses of one IPv6 network for one caller', () => {
    assert.equal(at('2001:db8:1:2::1'), at('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    assert.equal(at('2001:db8::1'), at('2001:db8:0:0:1::'));
    assert.equal(at('2001:db8::'), at('2001:db8:0:0:1:2:3:4'));
    assert.notEqual(at('2001:db8:1:2::1'), at('2001:db8:1:3::1'));
    assert.notEqual(at('2001:db8::1:2:3:4:5'), at('2001:db8::1'));
    assert.notEqual(at('fe80::1%eth0'), at('::1'));
  });

  it('has one bucket for all whose address nobody knows', () => {
    assert.equal(at(''), at(''));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers } from '../dialects/opening.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import type { Question, WireId } from '../model/peer.ts';
import { Questions } from './questions.ts';

const speakers = createSpeakers({ revisions: REVISIONS, server: { name: 'x', version: '1' } });
const newest = REVISIONS.find(({ opens }) => opens === 'handshake')?.id ?? '';
const dialect = speakers.find(newest) ?? assert.fail();
const form: Question = {
  kind: 'elicit',
  ask: { message: '?', schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
};

function desk(deadlineMs = 1000) {
  const sent: { message: JsonObject; about: WireId | undefined }[] = [];
  const questions = new Questions({
    deadlineMs,
    send: (text, about) => sent.push({ message: JSON.parse(text), about }),
  });
  const stop = new AbortController();
  const put = () => questions.put(form, { dialect, about: 'call', signal: stop.signal });
  return { questions, sent, stop, put };
}

function failsWith(code: string, message = /./): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

describe('Questions', () => {
  it('go out under ids of their own, with the request they belong to, and wait for their answers', async () => {
    const { questions, sent, put } = desk();
    const both = [put(), put()];
    assert.deepEqual(
      sent.map(({ message, about }) => [message['id'], about]),
      [
        [1, 'call'],
        [2, 'call'],
      ],
    );
    questions.settle(2, { action: 'decline' });
    questions.settle(1, { action: 'accept', content: { n: 3 } });
    assert.deepEqual(await Promise.all(both), [{ action: 'accept', content: { n: 3 } }, { action: 'decline' }]);
  });

  it('drop an answer nobody waits for, and a second one', async () => {
    const { questions, put } = desk();
    assert.equal(questions.settle(7, { action: 'accept' }), false);
    assert.equal(questions.refuse(7, 'no'), false);
    const asked = put();
    assert.equal(questions.open, true);
    assert.equal(questions.settle('1', { action: 'cancel' }), false);
    assert.equal(questions.settle(1, { action: 'decline' }), true);
    assert.equal(questions.settle(1, { action: 'cancel' }), false);
    assert.equal(questions.open, false);
    assert.deepEqual(await asked, { action: 'decline' });
  });

  it('refuse an answer that is none, or does not fit the form', async () => {
    for (const answer of [{}, { action: 'maybe' }, { action: 'accept', content: { n: 'x' } }, { action: 'accept' }]) {
      const { questions, put } = desk();
      const asked = put();
      questions.settle(1, answer);
      await assert.rejects(asked, failsWith('E_REFUSED'), JSON.stringify(answer));
    }
  });

  it('fail when the client refuses', async () => {
    const { questions, put } = desk();
    const asked = put();
    questions.refuse(1, 'not now');
    await assert.rejects(asked, failsWith('E_REFUSED', /not now/));
  });

  it('are withdrawn when nobody answers in time', async () => {
    const { sent, put } = desk(5);
    await assert.rejects(put(), failsWith('E_UNANSWERED'));
    const { message, about } = sent[1] ?? assert.fail();
    assert.equal(message['method'], 'notifications/cancelled');
    assert.equal((message['params'] as JsonObject)['requestId'], 1);
    assert.equal(about, 'call');
  });

  it('are withdrawn when their call is over, unless they are answered', async () => {
    const { questions, sent, stop, put } = desk();
    const answered = put();
    const open = put();
    questions.settle(1, { action: 'decline' });
    stop.abort(new Fault('E_CLOSED', 'over'));
    await answered;
    await assert.rejects(open, failsWith('E_CLOSED', /over/));
    assert.deepEqual(
      sent.slice(2).map(({ message }) => (message['params'] as JsonObject)['requestId']),
      [2],
    );
  });

  it('end without a word when the client is gone', async () => {
    const { questions, sent, put } = desk();
    const both = [put(), put()];
    questions.close(new Fault('E_CLOSED', 'gone'));
    for (const asked of both) await assert.rejects(asked, failsWith('E_CLOSED', /gone/));
    assert.equal(sent.length, 2);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Asking, interview, visit } from './asking.ts';

/** A person who gives these answers, one a question, and then is gone. */
function person(...answers: string[]): Asking & { said: string[]; asked: string[] } {
  const said: string[] = [];
  const asked: string[] = [];
  return {
    server: 'desk',
    said,
    asked,
    terminal: { print: () => assert.fail('stdout is for results'), say: (text) => said.push(text), env: {} },
    prompt: (question) => {
      asked.push(question);
      return Promise.resolve(answers.shift());
    },
  };
}

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name' },
    age: { type: 'integer', description: 'in years' },
    size: { enum: ['S', 'M'], default: 'M' },
    note: { type: 'string' },
  },
  required: ['name', 'age', 'size'],
};
const form = { message: 'Who are you?', schema };

test('a form says which server asks, and is asked field by field', async () => {
  const asking = person('y', 'Ada', '36', 'S', 'hi');
  assert.deepEqual(await interview(form, asking), {
    action: 'accept',
    content: { name: 'Ada', age: 36, size: 'S', note: 'hi' },
  });
  assert.deepEqual(asking.said, ['desk asks: Who are you?']);
  assert.match(asking.asked[1] ?? '', /Your name/);
  assert.match(asking.asked[2] ?? '', /age – in years/);
  assert.match(asking.asked[3] ?? '', /\(S, M\) \[M\]/);
});

test('an empty answer takes the default or leaves out what is optional', async () => {
  assert.deepEqual(await interview(form, person('yes', 'Ada', '36', '', '')), {
    action: 'accept',
    content: { name: 'Ada', age: 36, size: 'M' },
  });
});

test('an answer that does not fit is asked for again', async () => {
  const asking = person('y', 'Ada', 'old', '', '36', '', '');
  assert.equal((await interview(form, asking)).content?.['age'], 36);
  assert.match(asking.said[1] ?? '', /must be integer/);
});

test('a person may decline, and one who is gone cancels', async () => {
  assert.deepEqual(await interview(form, person('n')), { action: 'decline' });
  assert.deepEqual(await interview(form, person('')), { action: 'decline' });
  assert.deepEqual(await interview(form, person()), { action: 'cancel' });
  assert.deepEqual(await interview(form, person('y', 'Ada')), { action: 'cancel' });
});

test('a URL is shown, never opened, and waits for a word', async () => {
  const page = { message: 'Log in', url: 'https://example.com' };
  const asking = person('y');
  assert.deepEqual(await visit(page, asking), { action: 'accept' });
  assert.match(asking.said[0] ?? '', /desk asks: Log in\n.*\n {2}https:\/\/example\.com/);
  assert.deepEqual(await visit(page, person('n')), { action: 'decline' });
  assert.deepEqual(await visit(page, person()), { action: 'cancel' });
});

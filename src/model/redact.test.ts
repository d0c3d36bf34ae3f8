import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedact, isSecretName, REDACTED, redactShapes, secretsIn } from './redact.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.c2lnbmF0dXJlaHVudGVyMg';

describe('isSecretName', () => {
  it('knows the names secrets go by, however they are written', () => {
    const names = [
      'Authorization',
      'proxy-authorization',
      'Set-Cookie',
      'access_token',
      'refreshToken',
      'PARLEY_SECRET',
    ];
    names.push('password', 'db.password', 'X-Api-Key', 'apiKey', 'mcp-session-id', 'sessionId', 'requestState');
    names.push('client_secret', 'AWS_SECRET_ACCESS_KEY', 'private_key', 'credentials');
    for (const name of names) assert.ok(isSecretName(name), name);
  });

  it('leaves names alone that only sound like them', () => {
    const names = [
      'tokenBytes',
      'progressToken',
      'maxTokens',
      'author',
      'sessions',
      'passed',
      'key',
      'keys',
      'secretary',
    ];
    for (const name of names) assert.ok(!isSecretName(name), name);
  });
});

const SHAPES: readonly [string, string][] = [
  ['Authorization: Bearer hunter2hunter2', 'Authorization: [redacted]'],
  ['sent Bearer hunter2hunter2 there', 'sent Bearer [redacted] there'],
  ['Cookie: a=hunter2; b=hunter2\nHost: x', 'Cookie: [redacted]\nHost: x'],
  ['{"password":"hunter2 \\" hunter2","user":"me"}', '{"password":"[redacted]","user":"me"}'],
  ['{\\"token\\":\\"hunter2\\",\\"a\\":1}', '{\\"token\\":\\"[redacted]\\",\\"a\\":1}'],
  ["{ apiKey: 'hunter2' }", "{ apiKey: '[redacted]' }"],
  ['GET /x?access_token=hunter2&page=2', 'GET /x?access_token=[redacted]&page=2'],
  ['postgres://me:hunter2@db.example/x', 'postgres://[redacted]@db.example/x'],
  ['two http://a:hunter2@b/ and http://c:hunter2@d', 'two http://[redacted]@b/ and http://[redacted]@d'],
  ['password=p@ss!hunter2#1 next', 'password=[redacted] next'],
  [`token ${JWT} is bad`, 'token [redacted] is bad'],
  ['PARLEY_SECRET=hunter2', 'PARLEY_SECRET=[redacted]'],
  ['mcp-session-id: hunter2', 'mcp-session-id: [redacted]'],
  ['"requestState":"hunter2"', '"requestState":"[redacted]"'],
  ['password: "hunter2', 'password: "[redacted]'],
];

const PLAIN = [
  'Cannot reach "https://mcp.example/mcp": nothing listens there',
  'The client refused to answer: bearer in mind',
  'Deadline exceeded: the work took longer than 60000 ms',
  'http://[::1]:8808/mcp?page=2 and mail@example.org',
  'limits: tokenBytes=8192 pageSize=1000',
  'No such session: start again with "initialize"',
];

describe('redactShapes', () => {
  for (const [text, shown] of SHAPES) it(`turns ${text} into ${shown}`, () => assert.equal(redactShapes(text), shown));

  for (const text of PLAIN) it(`leaves alone: ${text}`, () => assert.equal(redactShapes(text), text));

  it('is done once it is done', () => {
    for (const [text] of SHAPES) assert.equal(redactShapes(redactShapes(text)), redactShapes(text));
  });

  it('takes a time that grows with the text and no faster', () => {
    const seeds = [
      'eyJ',
      'eyJ.',
      'password=',
      'password="',
      'password="\\',
      '://',
      '://@',
      'bearer ',
      'a:',
      '\\"',
      'token:',
    ];
    seeds.push('Authorization: ', '@', 'password=\\"', '://a@b:', 'bearer\t', '"', "'", 'x');
    const time = (text: string): number => {
      const began = process.cpuUsage().user;
      redactShapes(text);
      return process.cpuUsage().user - began;
    };
    for (const seed of seeds) {
      // A hundred times as long would be ten thousand times as slow if it were quadratic: seconds, then minutes.
      assert.ok(time(seed.repeat(200_000)) < 5_000_000, seed);
    }
  });
});

describe('createRedact', () => {
  it('takes known values out wherever they stand, in the spellings of addresses and JSON too', () => {
    const redact = createRedact(['p"ss word/1', 'p"ss word/1 and more', 'abc']);
    const text = 'one p"ss word/1, two p%22ss%20word%2F1, three p\\"ss word/1, four p"ss word/1 and more, abc';
    assert.equal(redact(text), `one ${REDACTED}, two ${REDACTED}, three ${REDACTED}, four ${REDACTED}, abc`);
  });

  it('never shows a known value, whatever surrounds it', () => {
    const secret = 'hunter2-hunter2';
    const redact = createRedact([secret]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        assert.ok(!redact(before + secret + after).includes(secret));
      }),
    );
  });

  it('takes half a character as it is', () => {
    assert.equal(createRedact(['secret\ud800'])('a secret\ud800'), `a ${REDACTED}`);
  });
});

describe('secretsIn', () => {
  it('finds the values of an environment whose names are those of secrets', () => {
    const env = { PATH: '/bin', API_KEY: 'one', PARLEY_SECRET: 'two', GITHUB_TOKEN: 'three', TOKEN: undefined };
    assert.deepEqual(secretsIn(env), ['one', 'two', 'three']);
  });
});

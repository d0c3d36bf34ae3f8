import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../model/fault.ts';
import { PeerError } from './peer-error.ts';
import { upstreamFault } from './upstream-fault.ts';
import { HttpFault } from './verdict.ts';

const SECRET = 'http://10.0.0.5/hunter2';
const CASES: readonly [string, unknown, string][] = [
  ['an error of the server', new PeerError({ code: -32603, message: SECRET, data: SECRET }), 'E_INTERNAL'],
  ['a broken connection', new HttpFault('broken', `Cannot reach "${SECRET}"`), 'E_INTERNAL'],
  ['a program that ended', new Fault('E_CLOSED', `The server "/opt/hunter2" ended with code 1`), 'E_INTERNAL'],
  ['an answer that came too late', new Fault('E_DEADLINE', SECRET, { data: { SECRET } }), 'E_DEADLINE'],
  ['anything else', SECRET, 'E_INTERNAL'],
];

for (const [what, error, code] of CASES) {
  test(`of ${what} a client hears which mount failed and no word of the far side`, () => {
    const fault = upstreamFault('far', error);
    assert.equal(fault.code, code);
    assert.match(fault.message, /"far"/);
    assert.doesNotMatch(fault.message + JSON.stringify(fault.data ?? null), /hunter2|10\.0/);
    assert.equal(fault.cause, error);
  });
}

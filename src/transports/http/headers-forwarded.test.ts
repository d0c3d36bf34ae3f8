import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientAddress, lastForwarded, trustOf } from './headers-forwarded.ts';

const trust = trustOf(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

function client(peer: string, headers: Readonly<Record<string, string>> = {}): string {
  return clientAddress({ peer, trust, header: (name) => headers[name] });
}

test('a list of proxies holds addresses and networks, in both families and in both spellings of IPv4', () => {
  for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', 'fd12::1'])
    assert.equal(trust(address), true, address);
  for (const address of ['11.0.0.1', '127.0.0.2', '::1', 'fe80::1', '', 'proxy', '::ffff:11.0.0.1'])
    assert.equal(trust(address), false, address);
  for (const bad of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0',
    '/8',
    '1.1.1.1/-1',
    '',
  ])
    assert.throws(() => trustOf([bad]), { name: 'TypeError', message: /Cannot trust the proxy/ }, bad);
});

test('a client that is no trusted proxy says nothing about itself', () => {
  assert.equal(client('8.8.8.8', { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4' }), '8.8.8.8');
});

test('behind trusted proxies the last address that is none of them is the client, whatever it wrote before', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4' }), '1.2.3.4');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' }), '1.2.3.4');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '10.9.9.9, 1.2.3.4, 10.0.0.2' }), '1.2.3.4');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 10.0.0.2' }), '127.0.0.1', 'all are trusted');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4:5678' }), '1.2.3.4');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:5678' }), '2001:db8::1');
  assert.equal(client('10.0.0.1', { forwarded: 'for="[2001:db8::1]:80";proto=https, for=10.0.0.7' }), '2001:db8::1');
  assert.equal(client('10.0.0.1', { forwarded: 'For=1.2.3.4;by=10.0.0.1' }), '1.2.3.4');
});

test('what is no address is not looked behind', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4, unknown' }), '10.0.0.1');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4, , 10.0.0.2' }), '10.0.0.2');
  assert.equal(client('10.0.0.1', { forwarded: 'for=_hidden' }), '10.0.0.1');
  assert.equal(client('10.0.0.1', { forwarded: 'proto=https' }), '10.0.0.1');
  assert.equal(client('10.0.0.1', {}), '10.0.0.1');
});

test('where the two headers disagree one of them is forged, and neither is taken', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4' }), '1.2.3.4');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=6.6.6.6' }), '10.0.0.1');
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '1.2.3.4', forwarded: 'nonsense' }), '10.0.0.1');
});

test('no header makes it fail or look at more hops than there can be', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': `6.6.6.6,${'10.0.0.2,'.repeat(2000)}10.0.0.2` }), '10.0.0.2');
  fc.assert(
    fc.property(fc.string(), fc.string(), (list, forwarded) => {
      assert.equal(typeof client('10.0.0.1', { 'x-forwarded-for': list, forwarded }), 'string');
    }),
  );
});

test('the last proxy says by which name and scheme it was reached', () => {
  assert.equal(
    lastForwarded('host=evil.example, for=1.2.3.4;Host="a.example:8443";proto=https', 'host'),
    'a.example:8443',
  );
  assert.equal(lastForwarded('for=1.2.3.4; proto=https', 'proto'), 'https');
  assert.equal(lastForwarded('for=1.2.3.4', 'proto'), undefined);
  assert.equal(lastForwarded(undefined, 'host'), undefined);
});

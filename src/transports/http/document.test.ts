import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchanged } from '../../../test/http/fake-exchange.ts';
import { jsonDocument, serveDocument } from './document.ts';

const handler = serveDocument(({ path }) => jsonDocument(200, { path, mark: 'é' }, { 'cache-control': 'no-store' }));

describe('serveDocument', () => {
  it('gives the document to GET', async () => {
    const { status, text, sent } = await exchanged(handler, { path: '/x' });
    assert.equal(status, 200);
    assert.equal(text, '{"path":"/x","mark":"é"}');
    assert.equal(sent['content-type'], 'application/json');
    assert.equal(sent['cache-control'], 'no-store');
  });

  it('gives HEAD the headers of GET, the length in bytes, and no body', async () => {
    const got = await exchanged(handler, { path: '/x' });
    const { status, text, sent } = await exchanged(handler, { method: 'HEAD', path: '/x' });
    assert.equal(status, 200);
    assert.equal(text, undefined);
    assert.deepEqual(sent, { ...got.sent, 'content-length': '25' });
    assert.equal(Buffer.byteLength(got.text ?? ''), 25);
  });

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', 'TRACE']) {
    it(`refuses ${method} and says what is allowed`, async () => {
      const { status, sent } = await exchanged(handler, { method, body: '{}' });
      assert.equal(status, 405);
      assert.equal(sent['allow'], 'GET, HEAD');
    });
  }
});

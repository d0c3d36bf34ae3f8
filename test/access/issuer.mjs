// An authorization server of another maker, as far as a resource server meets it.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const RESOURCES = {
  'https://mcp.example/signed': 'jwt',
  'https://mcp.example/opaque': 'opaque',
  'https://other.example/mcp': 'jwt',
};

/** What each test server is called by the issuer. */
export const SIGNED = 'https://mcp.example/signed';
export const OPAQUE = 'https://mcp.example/opaque';
export const OTHER = 'https://other.example/mcp';
export const CHECKER = { id: 'parley', secret: 'the-secret-of-parley-itself' };

function makeKey(kid) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
}

const client = (id, extra = {}) => ({
  client_id: id,
  client_secret: `the-secret-of-${id}-itself`,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: 'use admin',
  ...extra,
});

function configured(kid, lifetime) {
  return {
    jwks: { keys: [makeKey(kid)] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['use', 'admin'],
    clients: [client('ada'), client('bob'), client(CHECKER.id)],
    ttl: { ClientCredentials: lifetime },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => {
          const accessTokenFormat = RESOURCES[resource];
          if (accessTokenFormat === undefined) throw new Error('No such resource');
          return { scope: 'use admin', audience: resource, accessTokenFormat, accessTokenTTL: lifetime() };
        },
      },
      revocation: { enabled: true },
    },
  };
}

/** Starts the server; its keys can be changed, and it can be stopped and started again. */
export async function openIssuer() {
  let lifetime = 300;
  const given = [];
  let handle = (_, response) => response.end();
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}`;
  const useKey = (kid) => {
    handle = new Provider(url, configured(kid, () => lifetime)).callback();
  };
  useKey('first');
  return {
    url,
    useKey,
    /** Every token so far. */
    given,
    /** Tokens made from now on live this many seconds. */
    live(seconds) {
      lifetime = seconds;
    },
    async token(id, resource, scope = 'use') {
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:the-secret-of-${id}-itself`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, ...(scope === '' ? {} : { scope }) }),
      });
      const body = await response.json();
      if (body.access_token === undefined) throw new Error(`The issuer gives no token: ${JSON.stringify(body)}`);
      given.push(body.access_token);
      return body.access_token;
    },
    async revoke(id, token) {
      const response = await fetch(`${url}/token/revocation`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:the-secret-of-${id}-itself`)}` },
        body: new URLSearchParams({ token }),
      });
      if (!response.ok) throw new Error(`The issuer does not take the token back: ${response.status}`);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { createJwtVerifier } from '../../../src/auth/jwt.ts';
import { createStaticTokens } from '../../../src/auth/static-tokens.ts';
import type { Host } from '../../../src/host/host.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { createSealer } from '../../../src/sessions/seal.ts';
import { AUDIENCE, type Keys, makeForged, makeToken, makeUnsigned } from '../../auth/issuer.ts';
import { openHost } from '../fixture.ts';
import { claim } from '../messages.ts';
import { changeBytes } from '../mutate/bytes.ts';
import { hash, Random } from '../random.ts';
import { bytesTarget, oddWords, tried, valueTarget } from '../simple.ts';
import { expect, type OpenTarget, shown, type Target } from '../target.ts';

// What is handed out and comes back: sealed state and tokens. Nothing that was touched may be taken.

const NOW = 1_800_000_000_000;
const seal = (secret: string, now = NOW) =>
  createSealer({ secrets: [secret, 'an older one'], ttlMs: 1000, now: () => now });

const sealing = valueTarget<{ payload: JsonObject; bound: string; spot: number }>({
  name: 'sealing',
  says: 'sealed state: every bit flipped, cut, made longer, for another request, too late, under another key',
  make: (random) => ({
    payload: { round: random.below(5), answers: { a: oddWords(random) } },
    bound: oddWords(random, ['tools.call', 'alice']),
    spot: random.below(2 ** 31),
  }),
  check: ({ payload, bound, spot }) => {
    if (payload === null || typeof payload !== 'object' || typeof bound !== 'string') return;
    const sealed = seal('one').seal(payload, bound);
    const opened = JSON.stringify(seal('one').open(sealed, bound));
    expect(opened === JSON.stringify(payload), () => `sealed ${shown(payload)}, opened ${shown(opened)}`);
    const bytes = Buffer.from(sealed, 'base64url');
    const forged = flips(bytes, spot).map((changed) => changed.toString('base64url'));
    const at = spot % sealed.length;
    forged.push(
      sealed.slice(0, at),
      `${sealed}A`,
      `${sealed}=`,
      `${sealed} `,
      sealed.slice(1),
      `${sealed}${sealed}`,
      '',
    );
    for (const text of forged) refuse(() => seal('one').open(text, bound), text);
    refuse(() => seal('one').open(sealed, `${bound}x`), 'for another request');
    refuse(() => seal('two').open(sealed, bound), 'under another key');
    refuse(() => seal('one', NOW + 1000).open(sealed, bound), 'too late');
  },
});

/** Each bit once while the text is short; of a long one, each bit of the head and some of the rest. */
function flips(bytes: Buffer, spot: number): Buffer[] {
  const random = new Random(spot);
  const all = bytes.length * 8;
  const bits = Array.from({ length: Math.min(all, 33 * 8) }, (_, at) => at);
  for (let more = 0; more < 32; more += 1) bits.push(random.below(all));
  return bits.map((bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    return changed;
  });
}

function refuse(open: () => unknown, says: string): void {
  const opened = tried(open, Fault);
  expect(
    opened instanceof Fault && opened.code === 'E_BAD_STATE',
    () => `taken although it was touched: ${shown(says)}`,
  );
}

const ISSUER = 'https://issuer.example';
/** The same key in every run, so that an input that was kept means the same: the head of its encoding, and 32 bytes. */
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey);
const KEYS: Keys = { id: 'k1', alg: 'EdDSA', secret: privateKey, jwk: publicKey.export({ format: 'jwk' }) };
const CLAIMS: JsonObject = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: NOW / 1000 + 60, scope: 'read' };
const GOOD = makeToken(KEYS, CLAIMS);
const verifier = createJwtVerifier({
  issuer: ISSUER,
  audiences: [AUDIENCE],
  now: () => NOW,
  keySet: { keys: async () => [{ key: publicKey, alg: undefined }] },
  algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
  types: ['at+jwt'],
} as unknown as Parameters<typeof createJwtVerifier>[0]);

function makeBadToken(random: Random): Buffer {
  const [head = '', body = '', end = ''] = GOOD.split('.');
  switch (random.below(9)) {
    case 0:
      return Buffer.from(
        makeUnsigned(CLAIMS, random.pick(['none', 'None', 'NONE', '', 'HS256']), random.pick(['', 'AA', end])),
      );
    case 1:
      return Buffer.from(makeForged(KEYS, CLAIMS, publicKey.export({ type: 'spki', format: 'pem' }).toString()));
    case 2:
      return Buffer.from(
        makeToken(KEYS, {
          ...CLAIMS,
          [random.pick(['iss', 'aud', 'exp', 'sub'])]: random.pick<Json>([null, '', 0, [], {}, -1, true]),
        }),
      );
    case 3:
      return Buffer.from(
        makeToken(KEYS, CLAIMS, {
          [random.pick(['alg', 'typ', 'crit'])]: random.pick<Json>(['none', null, [], 'JWT', 'RS256', ['x'], 5]),
        }),
      );
    case 4:
      return Buffer.from(
        random.pick([
          `${head}.${body}`,
          `${head}.${body}.`,
          `.${body}.${end}`,
          `${head}..${end}`,
          `${GOOD}.${end}`,
          `${head}.${head}.${end}`,
        ]),
      );
    case 5: {
      // The last character of a part has bits to spare: another one may stand for the same bytes.
      const parts = [head, body, end];
      const at = random.below(3);
      parts[at] =
        `${(parts[at] as string).slice(0, -1)}${random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'])}`;
      return Buffer.from(parts.join('.'));
    }
    case 6:
      return Buffer.from(oddWords(random, [head, body, end, '.', '..'], 6));
    default:
      return changeBytes(Buffer.from(GOOD), random);
  }
}

const jwts = bytesTarget({
  name: 'jwt',
  says: 'signed tokens: none, other algorithms, other parts, every byte changed',
  make: makeBadToken,
  check: async (input) => {
    const good = await verifier.verify(GOOD);
    expect(good?.kind === 'principal', () => `the good token is refused: ${shown(good)}`);
    const token = input.toString('latin1');
    const verdict = await verifier.verify(token);
    expect(
      token === GOOD || verdict?.kind !== 'principal',
      () => `taken although it is another text than was signed: ${shown(token)}`,
    );
  },
});

const TOKEN = 'a-token-of-some-length';

const tokens = valueTarget<{ list: Json; token: string }>({
  name: 'token-lists',
  says: 'lists of tokens: used or refused with a reason, and nobody let in but their owners',
  make: (random) => ({
    list: Array.from({ length: random.small(3) }, () => ({
      id: random.pick<Json>(['a', '', 5, null]),
      token: random.pick<Json>([TOKEN, `${TOKEN}2`, 'short', oddWords(random), 7, null]),
      ...(random.once(3) ? { scopes: random.pick<Json>([[], ['a b'], 'x', ['ok'], null, [5]]) } : {}),
      ...(random.once(3) ? { expires: random.pick<Json>(['2000-01-01', 'soon', 5, null, '']) } : {}),
      ...(random.once(4) ? { sha256: random.pick<Json>(['ff', 'f'.repeat(64), 5]) } : {}),
    })),
    token: random.once(2) ? TOKEN : oddWords(random, [TOKEN]),
  }),
  check: ({ list, token }) => {
    if (!Array.isArray(list) || typeof token !== 'string') return;
    const made = tried(() => createStaticTokens(list as never, () => NOW), TypeError);
    if (made instanceof Error)
      return expect(/^Cannot use/.test(made.message), () => `refused with ${shown(made.message)}`);
    const verdict = made.verify(token) as { kind: string } | undefined;
    const listed = list.some((one) => (one as JsonObject)['token'] === token);
    expect(verdict === undefined || listed, () => `let in with ${shown(token)}`);
  },
});

/** Sealed state on its way through a whole conversation. */
class StateTarget implements OpenTarget {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  generate(random: Random): Buffer {
    return Buffer.from(JSON.stringify({ spot: random.below(2 ** 31), how: random.below(9) }));
  }

  async check(input: Buffer): Promise<void> {
    const { spot, how } = JSON.parse(input.toString('utf8')) as { spot: number; how: number };
    const first = await this.#say('alice', { name: 'asks' });
    const state = String((first['result'] as JsonObject)['requestState']);
    const inputResponses: JsonObject = { who: { action: 'decline' } };
    const bytes = changeBytes(Buffer.from(state), new Random(spot)).toString('latin1');
    const tricks: [string, JsonObject][] = [
      ['bob', { name: 'asks', requestState: state, inputResponses }],
      ['alice', { name: 'asks', arguments: { a: spot }, requestState: state, inputResponses }],
      ['alice', { name: 'later', requestState: state, inputResponses }],
      ['alice', { name: 'asks', requestState: state.slice(0, spot % state.length), inputResponses }],
    ];
    const [who, params] = tricks[how] ?? ['alice', { name: 'asks', requestState: bytes, inputResponses }];
    const answer = await this.#say(who, params);
    const error = answer['error'] as JsonObject | undefined;
    if (params['requestState'] === state && who === 'alice' && params['name'] === 'asks' && !('arguments' in params))
      return;
    expect(error?.['code'] === -32602, () => `a state that was touched is taken: ${shown(params)} → ${shown(answer)}`);
    const again = await this.#say('alice', { name: 'asks', requestState: state, inputResponses });
    expect('result' in again, () => `a good state is refused afterwards: ${shown(again)}`);
  }

  async #say(who: string, params: JsonObject): Promise<JsonObject> {
    const conversation = this.#host.converse({ outlet: () => {}, principal: { id: who, scopes: [] } } as never);
    const meta = claim({ elicitation: {} }) as JsonObject;
    const message = {
      jsonrpc: '2.0',
      id: hash(randomUUID()),
      method: 'tools/call',
      params: { ...params, _meta: meta },
    };
    const reply = await conversation.receive(message, 0);
    return JSON.parse(reply?.text ?? '{}') as JsonObject;
  }

  close(): void {
    this.#host.close();
  }
}

const states: Target = {
  name: 'request-state',
  says: 'state that comes back changed, for another tool, other arguments, another principal',
  open: async () => new StateTarget(await openHost()),
};

export const secrets: readonly Target[] = [sealing, jwts, tokens, states];

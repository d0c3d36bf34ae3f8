import { test } from 'node:test';
import type { JsonObject } from '../../../src/model/json.ts';
import { readObligations } from '../../requirements/read-obligations.ts';
import type { RevisionId } from '../revisions.ts';
import type { HttpPeer } from './http-peer.ts';
import { type HttpScene, type HttpSceneOptions, REPLICAS, stageHttp } from './http-scene.ts';

export interface HttpScenarioOptions extends HttpSceneOptions {
  /** What the peer declares. */
  readonly declares?: JsonObject;
  readonly principal?: string;
  readonly token?: string;
  /** Leave the handshake to the test. */
  readonly unopened?: boolean;
}

export type HttpScenario = (revision: RevisionId, peer: HttpPeer, scene: HttpScene) => Promise<void>;

type Rest = [HttpScenarioOptions, HttpScenario] | [HttpScenario];

const OBLIGATIONS = new Map(readObligations().map((obligation) => [obligation.id, obligation]));

/** One test over HTTP per revision an obligation binds. */
export function obligation(id: string, sentence: string, ...rest: Rest): void {
  const known = OBLIGATIONS.get(id);
  if (known === undefined) throw new RangeError(`There is no obligation "${id}"`);
  for (const revision of known.revisions) register(`${id} ${revision} ${sentence}`, revision, rest);
}

/** One test over HTTP per revision named, for what no single obligation says. */
export function scenario(revisions: readonly RevisionId[], sentence: string, ...rest: Rest): void {
  for (const revision of revisions) register(`${revision} ${sentence}`, revision, rest);
}

/** What one process alone can know, such as how much it holds, and items that only one of the processes has. */
const ALONE = new RegExp(
  [
    'leaves before anything was said',
    'nobody uses ends by itself',
    'sessions over the limit',
    'second request under an id',
    'only so many streams',
    'too many calls at once',
    'a task is known to its principal alone',
    'outlasts the grace period',
  ].join('|'),
);

function register(name: string, revision: RevisionId, rest: Rest): void {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
  const { unopened = false, declares, principal, token, ...stage } = options;
  test(name, { skip: REPLICAS > 1 && ALONE.test(name) }, async () => {
    const scene = await stageHttp(stage);
    const peer = scene.peer(revision, {
      ...(declares === undefined ? {} : { capabilities: declares }),
      ...(principal === undefined ? {} : { principal }),
      ...(token === undefined ? {} : { token }),
    });
    try {
      if (!unopened) await peer.open();
      await body(revision, peer, scene);
      peer.assertSound();
    } finally {
      await scene.close();
    }
  });
}

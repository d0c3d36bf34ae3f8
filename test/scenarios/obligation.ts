import { test } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { readObligations } from '../requirements/read-obligations.ts';
import type { Fixture } from './fixture-behind.ts';
import type { Peer } from './peer.ts';
import { isModern, type RevisionId } from './revisions.ts';
import { type Scene, type SceneOptions, stage } from './stage.ts';

export interface ScenarioOptions extends SceneOptions {
  /** What the peer declares. */
  readonly declares?: JsonObject;
  /** Leave the handshake to the test. */
  readonly unopened?: boolean;
}

export type Scenario = (revision: RevisionId, peer: Peer, scene: Scene & { fixture: Fixture }) => Promise<void>;

const OBLIGATIONS = new Map(readObligations().map((obligation) => [obligation.id, obligation]));

/** One test per revision an obligation binds. */
export function obligation(id: string, sentence: string, ...rest: [ScenarioOptions, Scenario] | [Scenario]): void {
  const known = OBLIGATIONS.get(id);
  if (known === undefined) throw new RangeError(`There is no obligation "${id}"`);
  for (const revision of known.revisions) register(`${id} ${revision} ${sentence}`, revision, rest);
}

/** One test per revision named, for what no single obligation says. */
export function scenario(
  revisions: readonly RevisionId[],
  sentence: string,
  ...rest: [ScenarioOptions, Scenario] | [Scenario]
): void {
  for (const revision of revisions) register(`${revision} ${sentence}`, revision, rest);
}

// A modern peer has nothing to open, but one message tells the server which era an unreadable line belongs to.
async function open(peer: Peer, capabilities: JsonObject = {}): Promise<void> {
  if (isModern(peer.revision)) await peer.settle();
  else await peer.handshake(capabilities);
}

function register(name: string, revision: RevisionId, rest: [ScenarioOptions, Scenario] | [Scenario]): void {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
  test(name, async () => {
    const scene = await stage(options);
    const peer = scene.peer(revision, options.declares);
    try {
      if (options.unopened !== true) await open(peer, options.declares);
      await body(revision, peer, scene);
      await peer.end();
    } finally {
      await scene.close();
    }
  });
}

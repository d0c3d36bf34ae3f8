import type { Dispatch } from '../core/dispatch.ts';
import type { Audit } from '../core/policies/audit.ts';
import type { Speakers } from '../dialects/opening.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { ListName } from '../model/peer.ts';
import type { Sealer } from './seal.ts';
import type { Runners } from './tasks/runners.ts';
import type { Deferring } from './turn.ts';
import type { Hub } from './watch.ts';

/** What all conversations of one server share. */
export interface House {
  readonly speakers: Speakers;
  readonly dispatch: Dispatch;
  readonly hub: Hub;
  readonly sealer: Sealer;
  /** Makes tasks of calls, where there are tasks. */
  readonly tasks: (Deferring & { join(runners: Runners): void }) | undefined;
  readonly limits: Limits;
  readonly log: Log;
  /** Keeps account of who asked for what, where that is wanted. */
  readonly audit?: Audit | undefined;
  /** The lists whose changes clients are told of. */
  lists(): readonly ListName[];
  /** Whether clients hear what tools log. */
  readonly logs: boolean;
  /** What opens the gate of a handshake: the answer to it, or the client's word that it is ready. */
  readonly gate: 'answered' | 'ready';
}

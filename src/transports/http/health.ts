import { jsonDocument, serveDocument } from './document.ts';
import type { Handler } from './exchange.ts';

/** Why a server takes no work, or that it does. */
export type Readiness = 'ready' | 'starting' | 'draining' | 'storeless';

export interface HealthOptions {
  readonly version: string;
  readiness(): Readiness;
  /** Seconds since the start; of the process unless said otherwise. */
  uptime?(): number;
}

export interface HealthHandlers {
  /** For people and monitors: it runs, since when, and which version. */
  readonly health: Handler;
  /** For supervisors: the event loop turns. */
  readonly live: Handler;
  /** For load balancers: send work here, or do not and why. */
  readonly ready: Handler;
}

const FRESH = { 'cache-control': 'no-store' };
const REASONS: Readonly<Record<Exclude<Readiness, 'ready'>, string>> = {
  starting: 'The server is starting',
  draining: 'The server is shutting down',
  storeless: 'The store that keeps sessions and tasks cannot be reached',
};

/** Answers probes. Needs no access and touches nothing that can be slow. */
export function createHealth({ version, readiness, uptime = () => process.uptime() }: HealthOptions): HealthHandlers {
  return {
    health: serveDocument(() => {
      const seconds = Math.round(uptime() * 1000) / 1000;
      return jsonDocument(200, { status: 'ok', ready: readiness() === 'ready', uptime: seconds, version }, FRESH);
    }),
    live: serveDocument(() => jsonDocument(200, { status: 'ok' }, FRESH)),
    ready: serveDocument(() => {
      const state = readiness();
      if (state === 'ready') return jsonDocument(200, { status: 'ok' }, FRESH);
      return jsonDocument(503, { status: state, reason: REASONS[state] }, { ...FRESH, 'retry-after': '1' });
    }),
  };
}

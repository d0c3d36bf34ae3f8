import type { RateLimit } from '../../model/rate.ts';
import type { HostOptions } from '../host.ts';
import type { LogFiles } from '../log-keeping.ts';
import type { Variable } from '../variables.ts';

/** A pack and when it is part of what is served. */
export interface PackUse {
  readonly name: string;
  /** The switch that must be on; without one it always is. */
  readonly when?: Variable;
}

/** A named configuration: data, and nothing but data. */
export interface Preset extends Pick<HostOptions, 'server' | 'instructions'> {
  readonly packs: readonly PackUse[];
  /** Where the packs are mounted; without one their items keep their own names. */
  readonly namespace?: string;
  readonly host?: Partial<
    Pick<HostOptions, 'capabilities' | 'actions' | 'bare' | 'voice' | 'assumes' | 'gate' | 'limits' | 'names' | 'tasks'>
  >;
  /** How often one peer may use the endpoint over HTTP. */
  readonly rateLimit?: RateLimit;
  /** Mend results of tools before they are sent. */
  readonly doctor?: boolean;
  /** Replace `@name` in arguments, and store results under the name a call asks for. */
  readonly context?: boolean;
  /** Where the log goes when no file is named for it. */
  readonly logFiles?: LogFiles;
}

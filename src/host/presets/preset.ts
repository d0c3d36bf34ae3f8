import type { HostOptions } from '../host.ts';

/** A named configuration: data, and nothing but data. */
export interface Preset extends Pick<HostOptions, 'server' | 'instructions'> {
  readonly packs: readonly string[];
  readonly host?: Partial<Pick<HostOptions, 'capabilities' | 'actions' | 'bare' | 'gate' | 'limits'>>;
}

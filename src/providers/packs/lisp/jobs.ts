import type { Limits, Named, Search } from './contract.ts';
import type { Budgets } from './engine/meter.ts';

/** What a thread is asked to do. */
export type Job =
  | { readonly kind: 'evaluate'; readonly code: string; readonly package: string | undefined; readonly limits: Limits }
  | {
      readonly kind: 'expand';
      readonly form: string;
      readonly full: boolean;
      readonly package: string | undefined;
      readonly limits: Limits;
    }
  | ({ readonly kind: 'describe' } & Named)
  | ({ readonly kind: 'apropos' } & Search)
  | { readonly kind: 'validate'; readonly code: string }
  | { readonly kind: 'definitions' | 'reset' };

export interface JobAnswer {
  readonly id: number;
  readonly result: unknown;
}

export interface WorkerStart {
  /** Holds the id of the job to give up. */
  readonly stop: SharedArrayBuffer;
  readonly budgets: Partial<Budgets>;
}

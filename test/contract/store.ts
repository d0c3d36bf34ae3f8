// What every store engine must do. An engine's own test file is a few lines that call this.

import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../src/store/store.ts';
import { closingCases } from './store/closing.ts';
import { counterCases } from './store/counters.ts';
import { endingCases } from './store/endings.ts';
import { inboxCases } from './store/inboxes.ts';
import { logCases } from './store/logs.ts';
import { assertAgrees } from './store/model.ts';
import { recordCases } from './store/records.ts';
import { topicCases } from './store/topics.ts';
import { type Case, until } from './store/world.ts';

export interface ContractOptions {
  /** Lets time go by for the engine; a real sleep where the engine has a clock of its own. */
  readonly pass?: (ms: number) => Promise<unknown>;
}

// A real sleep may end a moment before its time.
const SLACK_MS = 5;

const sleepThrough = (ms: number) => sleep(ms + SLACK_MS);

// On a busy machine a sleep may outlast what it should end within; a case that slept is played again before it fails.
const TRIES = 3;

/** Plays a case on a store of its own. */
async function play(open: () => Promise<Store>, run: Case[1], options: ContractOptions): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    let slept = false;
    const pass = (ms: number) => {
      slept = options.pass === undefined;
      return (options.pass ?? sleepThrough)(ms);
    };
    const store = await open();
    try {
      return await run({ store, name: `contract:${randomUUID()}:`, pass, until });
    } catch (error) {
      if (!slept || tries === TRIES) throw error;
    } finally {
      await store.close();
    }
  }
}

const PARTS = {
  records: recordCases,
  logs: logCases,
  'ended and followed logs': endingCases,
  topics: topicCases,
  counters: counterCases,
  inboxes: inboxCases,
  closing: closingCases,
};

/** Registers the whole contract as tests of one engine. */
export function storeContract(name: string, open: () => Promise<Store>, options: ContractOptions = {}): void {
  describe(`Store contract on ${name}`, () => {
    test('random steps get the answers the memory engine gives', () => assertAgrees(open));
    for (const [part, cases] of Object.entries(PARTS)) {
      describe(part, () => {
        for (const [says, run] of cases) test(says, () => play(open, run, options));
      });
    }
  });
}

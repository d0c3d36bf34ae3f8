import { Fault, type FaultDetails } from '../../model/fault.ts';

/**
 * What a failed exchange says of the server: `older`: it may speak an older protocol or transport. `forbidden`: it wants
 * to know who asks. `gone`: it does not know the session. `broken`: nothing, it could not be reached or made no sense.
 */
export type Verdict = 'older' | 'forbidden' | 'gone' | 'broken';

/** An exchange over HTTP failed before it came to an answer. */
export class HttpFault extends Fault {
  readonly verdict: Verdict;

  constructor(verdict: Verdict, message: string, details?: FaultDetails) {
    super('E_CLOSED', message, details);
    this.verdict = verdict;
  }
}

import type { ClientCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Peer, Question, QuestionKind } from '../../model/peer.ts';
import type { QuestionRow, Revision } from './revision.ts';

/** The row that puts a question, whatever its kind. */
export function questionRow(revision: Pick<Revision, 'questions'>, { kind }: Question): QuestionRow<QuestionKind> {
  const row = revision.questions[kind] as QuestionRow<QuestionKind> | undefined;
  if (row === undefined)
    throw new Fault('E_CANNOT_ASK', `Cannot ask the client: its protocol revision has no "${kind}" question`);
  return row;
}

/** Throws unless the revision has words for the question and the client said it can be asked. */
export function permitQuestion(revision: Revision, question: Question, { capabilities }: Peer): void {
  const row = questionRow(revision, question);
  const reason = row.unsayable?.(question.ask);
  if (reason !== undefined) throw new Fault('E_CANNOT_ASK', `Cannot ask the client: ${reason}`);
  const needs = row.needs(question.ask);
  if (declares(capabilities, needs)) return;
  const said = `the client did not declare "${nameOf(needs)}"`;
  if (revision.asksBy === 'request') throw new Fault('E_CANNOT_ASK', `Cannot ask the client: ${said}`);
  throw new Fault('E_MISSING_CAPABILITY', `Missing client capability: ${said}`, {
    data: { requiredCapabilities: needs },
  });
}

export function declares(declared: ClientCapabilities, needs: ClientCapabilities): boolean {
  return Object.entries(needs).every(([name, parts]) => {
    const said = declared[name] as JsonObject | undefined;
    if (said === undefined || typeof said !== 'object' || said === null) return false;
    const wanted = Object.keys(parts as JsonObject);
    if (wanted.length > 0) return wanted.every((part) => said[part] !== undefined);
    // spec 2025-11-25 client/elicitation#capabilities: an empty object means forms only
    return name !== 'elicitation' || said['form'] !== undefined || said['url'] === undefined;
  });
}

function nameOf(needs: ClientCapabilities): string {
  const [[name, parts] = ['', {}]] = Object.entries(needs);
  return [name, ...Object.keys(parts as JsonObject)].join('.');
}

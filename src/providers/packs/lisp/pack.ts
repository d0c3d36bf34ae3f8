import { createPack, type Server } from '../../../catalog/server.ts';
import type { Call } from '../../../model/call.ts';
import type { Evaluation, LispEngine } from './contract.ts';
import { EmbeddedEngine } from './embedded.ts';
import {
  aproposInput,
  definitionsInput,
  describeInput,
  evaluateInput,
  evaluateOutput,
  expandInput,
  limitsInput,
  nothingInput,
  validateInput,
} from './schemas.ts';
import { type LispSession, LispSessions, SESSION_LIMITS } from './sessions.ts';
import { showDefinitions, showEvaluation, showLimits, showMatches, showSyntax } from './showing.ts';

export interface LispOptions {
  /** Makes the engine of a new session. */
  readonly engine?: () => LispEngine;
  /** Most sessions kept; the one unused for longest goes first. */
  readonly sessions?: number;
}

const SESSIONS = 32;
const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** A Common Lisp session to evaluate in, and the tools around it. */
export function createLisp({ engine = () => new EmbeddedEngine(), sessions = SESSIONS }: LispOptions = {}): Server {
  const server = createPack({ name: 'lisp', version: '1.0.0' });
  const open = new LispSessions(engine, sessions);
  const of = (call: Call) => open.of(call.principal?.id ?? 'local');
  addEvaluation(server, of);
  addSession(server, of);
  addKnowledge(server, of);
  return server;
}

type SessionOf = (call: Call) => LispSession;

function addEvaluation(server: Server, of: SessionOf): void {
  const description =
    'Evaluates Common Lisp in a session that keeps definitions and the current package. Values, output, warnings and errors come back apart from each other.';
  server.tool(
    'evaluate-lisp',
    { title: 'Evaluate Lisp', description, input: evaluateInput, output: evaluateOutput, annotations: CHANGES },
    async (input, call) => {
      const session = of(call);
      const evaluation = await session.engine.evaluate({
        code: input.code,
        package: input.package,
        limits: session.limits,
        signal: call.signal,
      });
      return replyOf(session, evaluation, { code: input.code, timing: input['capture-time'] === true });
    },
  );
  server.tool(
    'macroexpand-form',
    {
      title: 'Expand a macro',
      description: 'Shows what a macro call expands to, one step or all the way.',
      input: expandInput,
      output: evaluateOutput,
      annotations: READS,
    },
    async (input, call) => {
      const session = of(call);
      const evaluation = await session.engine.expand({
        form: input.form,
        full: input.full === true,
        package: input.package,
        limits: session.limits,
      });
      return replyOf(session, evaluation, { code: input.form, timing: false });
    },
  );
}

interface Shown {
  readonly code: string;
  readonly timing: boolean;
}

function replyOf(session: LispSession, evaluation: Evaluation, { code, timing }: Shown) {
  const { error, warnings, values, dropped, restarted, realMs, output, errorOutput } = evaluation;
  if (error !== undefined) session.lastError = { ...error, code: code.slice(0, 1000) };
  const structured = {
    values: [...values],
    output,
    errorOutput,
    warnings: [...warnings],
    package: evaluation.package,
    ...(error === undefined ? {} : { error }),
    ...(dropped === 0 ? {} : { droppedChars: dropped }),
    ...(restarted ? { restarted } : {}),
    ...(timing ? { realMs } : {}),
  };
  const text = showEvaluation(evaluation, { limits: session.limits, timing });
  return { content: [{ type: 'text' as const, text }], structured, failed: error !== undefined };
}

function addSession(server: Server, of: SessionOf): void {
  server.tool(
    'reset-session',
    {
      title: 'Reset the session',
      description: 'Forgets everything the session defined and goes back to the package CL-USER.',
      input: nothingInput,
      annotations: { ...CHANGES, destructiveHint: true, idempotentHint: true },
    },
    async (_input, call) => {
      const session = of(call);
      await session.engine.reset();
      session.lastError = undefined;
      return 'The session is fresh: nothing is defined.';
    },
  );
  server.tool(
    'list-definitions',
    {
      title: 'List definitions',
      description: 'Lists what the session defined, newest first.',
      input: definitionsInput,
      annotations: READS,
    },
    async ({ type }, call) => {
      const all = await of(call).engine.definitions();
      return showDefinitions(all.filter(({ kind }) => type === undefined || kind === type));
    },
  );
  server.tool(
    'configure-limits',
    {
      title: 'Configure limits',
      description: 'Sets how long an evaluation may take and how much of its output is kept, and shows both.',
      input: limitsInput,
      annotations: { ...CHANGES, idempotentHint: true },
    },
    ({ timeout, 'max-output': output }, call) => {
      const session = of(call);
      const seconds = timeout === 0 ? SESSION_LIMITS.timeoutSeconds.most : timeout;
      const { timeMs, outputChars } = session.limits;
      session.limits = { timeMs: seconds === undefined ? timeMs : seconds * 1000, outputChars: output ?? outputChars };
      return showLimits(session.limits);
    },
  );
  server.tool(
    'describe-last-error',
    {
      title: 'Describe the last error',
      description: 'Tells the type and message of the last error of the session and the code that caused it.',
      input: nothingInput,
      annotations: READS,
    },
    (_input, call) => {
      const { lastError } = of(call);
      if (lastError === undefined) return 'No error has happened in this session.';
      return `Type: ${lastError.type}\nMessage: ${lastError.message}\nCode: ${lastError.code}`;
    },
  );
}

function addKnowledge(server: Server, of: SessionOf): void {
  server.tool(
    'describe-symbol',
    {
      title: 'Describe a symbol',
      description: 'Tells what a symbol names: its value, function, lambda list, documentation and class.',
      input: describeInput,
      annotations: READS,
    },
    async (input, call) => {
      const text = await of(call).engine.describe(input);
      return text ?? { content: [{ type: 'text', text: `No symbol is named "${input.name}" there.` }], failed: true };
    },
  );
  server.tool(
    'apropos-search',
    {
      title: 'Search symbols',
      description: 'Finds symbols whose name has a text in it.',
      input: aproposInput,
      annotations: READS,
    },
    async ({ pattern, package: home, type }, call) => {
      return showMatches(pattern, await of(call).engine.apropos({ pattern, package: home, names: type }));
    },
  );
  server.tool(
    'validate-syntax',
    {
      title: 'Check syntax',
      description: 'Reads a text without evaluating it and tells whether it can be read, and if not where it breaks.',
      input: validateInput,
      annotations: READS,
    },
    async ({ code }, call) => {
      return showSyntax(await of(call).engine.validate(code));
    },
  );
}

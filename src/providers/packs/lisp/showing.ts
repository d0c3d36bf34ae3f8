import type { Definition, Evaluation, Limits, Match, Problem, Syntax } from './contract.ts';

/** An evaluation for people: output first, then what it complained about, then values or the error. */
export function showEvaluation(
  evaluation: Evaluation,
  { limits, timing }: { limits: Limits; timing: boolean },
): string {
  const { output, errorOutput, warnings, dropped, error, values, restarted } = evaluation;
  const parts = [
    output === '' ? '' : line(output),
    errorOutput === '' ? '' : line(`[stderr] ${errorOutput}`),
    dropped === 0
      ? ''
      : `\n[Output truncated at ${limits.outputChars} of ${limits.outputChars + dropped} characters]\n`,
    ...warnings.map(({ type, message }) => line(`[Warning] ${type}: ${message}`)),
    error === undefined ? showValues(values) : showError(error, limits),
    restarted ? '[Session] Everything defined before is gone: the session began anew.\n' : '',
    timing ? showTiming(evaluation) : '',
  ];
  return parts.join('');
}

const line = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

function showValues(values: readonly string[]): string {
  return values.length === 0 ? '; No values\n' : values.map((value) => `=> ${value}\n`).join('');
}

function showError({ type, message }: Problem, limits: Limits): string {
  const late = type.endsWith('TIME-EXCEEDED');
  const first = late ? `[TIMEOUT] Evaluation exceeded ${limits.timeMs / 1000} second(s)\n` : '';
  const hint = late ? 'A longer time can be set with the tool configure-limits.\n' : '';
  return `${first}[ERROR] ${type}\n${line(message)}${hint}`;
}

function showTiming({ realMs, bytes }: Evaluation): string {
  return `\n; Timing: ${realMs.toFixed(3)}ms real, ${bytes} bytes allocated\n`;
}

export function showDefinitions(definitions: readonly Definition[]): string {
  if (definitions.length === 0) return 'Nothing is defined in this session.';
  return ['Defined in this session:', ...definitions.map(({ kind, name }) => `  ${kind}: ${name}`)].join('\n');
}

export function showLimits({ timeMs, outputChars }: Limits): string {
  return `Limits of this session:\n  timeout: ${timeMs / 1000} second(s)\n  max-output: ${outputChars} characters`;
}

export function showMatches(pattern: string, matches: readonly Match[]): string {
  if (matches.length === 0) return `No symbol matches "${pattern}".`;
  const rows = matches.map(({ name, kinds }) => `  ${name}${kinds.length === 0 ? '' : ` [${kinds.join(', ')}]`}`);
  return [`${matches.length} symbol(s) match "${pattern}":`, ...rows].join('\n');
}

export function showSyntax({ forms, error, line: row, column, unclosed = 0 }: Syntax): string {
  if (error === undefined) return `✓ Syntax valid: ${forms} top-level form(s)`;
  const where = row === undefined ? [] : [`Near line ${row}, column ${column}`];
  const open = unclosed > 0 ? [`Opened and not closed: ${unclosed}`] : [];
  return ['✗ Syntax invalid', `Error: ${error}`, ...open, ...where].join('\n');
}

import { parseArgs } from 'node:util';
import { PRESETS } from '../host/presets/presets.ts';
import type { Settings } from '../host/settings.ts';
import { readVariables } from '../host/variables.ts';
import { UsageError } from './command.ts';
import { readLimits } from './limits.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The options every serving command takes. */
export const SERVING_HELP = `Options:
  --module FILE      Serve what this TypeScript or JavaScript file exports; may be given several times
  --isolate          Run everything the modules offer in processes of their own, with limits on memory and CPU time: a crash
                     or an endless loop costs one call (environment: PARLEY_ISOLATE=true)
  --isolate-env LIST Names of environment variables those processes get, with commas between them; implies --isolate
                     (environment: PARLEY_ISOLATE_ENV)
  --preset NAME      Serve a named configuration (${Object.keys(PRESETS).join(', ')}); "starter" when there is no module
  --lisp ENGINE      What evaluates Lisp where a preset offers it: embedded or sbcl (environment: PARLEY_LISP)
  --limit NAME=VALUE Raise or lower a limit, such as sessions=50000; may be given several times. docs/limits.md has them all
                     (environment: PARLEY_LIMITS, with commas between them)
  --log-level LEVEL  debug, info, warn, error or silent (default: info; environment: PARLEY_LOG_LEVEL)
  --log-file FILE    Write the log there and not to stderr (environment: PARLEY_LOG_FILE)
  --audit FILE       Write a line for everything clients ask for to this file, or to "stderr" (environment: PARLEY_AUDIT)
  --audit-arguments  Tell their arguments there too, without what looks like a secret
                     (environment: PARLEY_AUDIT_ARGUMENTS=true)`;

const OPTIONS = {
  module: { type: 'string', multiple: true, short: 'm' },
  isolate: { type: 'boolean' },
  'isolate-env': { type: 'string' },
  preset: { type: 'string', short: 'p' },
  lisp: { type: 'string' },
  limit: { type: 'string', multiple: true },
  'log-level': { type: 'string' },
  'log-file': { type: 'string' },
  audit: { type: 'string' },
  'audit-arguments': { type: 'boolean' },
} as const;

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** Reads the options of a serving command; the environment stands in for what no flag says. */
export function readServing(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, { type: 'string' | 'boolean' }>>,
): { settings: Settings; values: Values } {
  const { values }: { values: Values } = parseArgs({
    args: [...args],
    options: { ...OPTIONS, ...extra },
    strict: true,
  });
  const text = (flag: string, variable: string): string | undefined =>
    (values[flag] as string | undefined) ?? env[variable];
  const preset = text('preset', 'PARLEY_PRESET');
  const logFile = text('log-file', 'PARLEY_LOG_FILE');
  const secret = env['PARLEY_SECRET'];
  if (preset !== undefined && !Object.hasOwn(PRESETS, preset)) {
    throw new UsageError(`Unknown preset: "${preset}". There are: ${Object.keys(PRESETS).join(', ')}`);
  }
  const isolate = isolateFrom(
    values['isolate'] === true || env['PARLEY_ISOLATE'],
    text('isolate-env', 'PARLEY_ISOLATE_ENV'),
  );
  const limits = readLimits((values['limit'] as string[] | undefined) ?? listOf(env['PARLEY_LIMITS']));
  const settings = {
    modules: (values['module'] as string[] | undefined) ?? [],
    logLevel: levelOf(text('log-level', 'PARLEY_LOG_LEVEL')),
    variables: { ...readVariables(env), ...(values['lisp'] === undefined ? {} : { lisp: values['lisp'] as string }) },
    ...(isolate === undefined ? {} : { isolate }),
    ...(limits === undefined ? {} : { limits }),
    ...(preset === undefined ? {} : { preset }),
    ...(logFile === undefined ? {} : { logFile }),
    ...auditOf(
      text('audit', 'PARLEY_AUDIT'),
      values['audit-arguments'] === true || isOn(env['PARLEY_AUDIT_ARGUMENTS']),
    ),
    ...(secret === undefined ? {} : { secrets: secret.split(',') }),
  };
  return { settings, values };
}

function isolateFrom(on: true | string | undefined, names: string | undefined): Settings['isolate'] {
  const wanted = on === true || isOn(on);
  if (!wanted && names === undefined) return undefined;
  return { env: listOf(names) };
}

function auditOf(audit: string | undefined, auditArguments: boolean): Pick<Settings, 'audit' | 'auditArguments'> {
  if (audit !== undefined && audit !== '') return { audit, auditArguments };
  if (auditArguments) throw new UsageError('Cannot use --audit-arguments alone: give --audit too');
  return {};
}

/** What stands between commas. */
export function listOf(text: string | undefined): string[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** Whether a variable of the environment says yes. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && ['1', 'true', 'yes', 'on'].includes(text.toLowerCase());
}

function levelOf(text: string | undefined): Settings['logLevel'] {
  if (text === undefined) return 'info';
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`Unknown log level: "${text}". There are: ${LEVELS.join(', ')}`);
  return level;
}

import { parseArgs } from 'node:util';
import { PRESETS } from '../host/presets/presets.ts';
import type { Settings } from '../host/settings.ts';
import { UsageError } from './command.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The options every serving command takes. */
export const SERVING_HELP = `Options:
  --module FILE      Serve what this TypeScript or JavaScript file exports; may be given several times
  --preset NAME      Serve a named configuration (${Object.keys(PRESETS).join(', ')}); "starter" when there is no module
  --log-level LEVEL  debug, info, warn, error or silent (default: info; environment: PARLEY_LOG_LEVEL)
  --log-file FILE    Write the log there and not to stderr (environment: PARLEY_LOG_FILE)`;

const OPTIONS = {
  module: { type: 'string', multiple: true, short: 'm' },
  preset: { type: 'string', short: 'p' },
  'log-level': { type: 'string' },
  'log-file': { type: 'string' },
} as const;

/** Reads the options of a serving command; the environment stands in for what no flag says. */
export function readServing<T extends Record<string, { type: 'string' | 'boolean' }>>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  extra: T,
): { settings: Settings; values: Partial<Record<keyof T, string | boolean>> } {
  const { values } = parseArgs({ args: [...args], options: { ...OPTIONS, ...extra }, strict: true });
  const preset = (values['preset'] as string | undefined) ?? env['PARLEY_PRESET'];
  if (preset !== undefined && !Object.hasOwn(PRESETS, preset)) {
    throw new UsageError(`Unknown preset: "${preset}". There are: ${Object.keys(PRESETS).join(', ')}`);
  }
  const logFile = (values['log-file'] as string | undefined) ?? env['PARLEY_LOG_FILE'];
  return {
    settings: {
      modules: (values['module'] as string[] | undefined) ?? [],
      ...(preset === undefined ? {} : { preset }),
      logLevel: levelOf((values['log-level'] as string | undefined) ?? env['PARLEY_LOG_LEVEL']),
      ...(logFile === undefined ? {} : { logFile }),
      ...(env['PARLEY_SECRET'] === undefined ? {} : { secrets: env['PARLEY_SECRET'].split(',') }),
    },
    values: values as Partial<Record<keyof T, string | boolean>>,
  };
}

function levelOf(text: string | undefined): Settings['logLevel'] {
  if (text === undefined) return 'info';
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`Unknown log level: "${text}". There are: ${LEVELS.join(', ')}`);
  return level;
}

import { type AccessFile, type AccessSettings, readAccessFile } from '../host/access.ts';
import { UsageError } from './command.ts';

/** The options that say who may use a server. */
export const ACCESS_OPTIONS = {
  'auth-tokens': { type: 'string' },
  'auth-issuer': { type: 'string' },
  'auth-audience': { type: 'string' },
  'auth-scopes': { type: 'string' },
  'auth-types': { type: 'string' },
  'auth-introspection': { type: 'string' },
  access: { type: 'string' },
} as const;

export const ACCESS_HELP = `Who may use it (docs/access.md says more):
  --auth-tokens FILE       Take the tokens of a JSON file: { "tokens": [{ "id": "ci", "sha256": "…", "scopes": [] }] }
                           (environment: PARLEY_AUTH_TOKENS)
  --auth-issuer URL        Take the signed tokens of this authorization server (environment: PARLEY_AUTH_ISSUER)
  --auth-audience LIST     The names this server has for it (default: the endpoint under --public-url;
                           environment: PARLEY_AUTH_AUDIENCE)
  --auth-scopes LIST       Scopes every request needs (environment: PARLEY_AUTH_SCOPES)
  --auth-types LIST        Types of signed tokens taken (default: at+jwt; environment: PARLEY_AUTH_TYPES)
  --auth-introspection URL Ask there about tokens that are not signed, as the client in PARLEY_AUTH_CLIENT_ID and
                           PARLEY_AUTH_CLIENT_SECRET (environment: PARLEY_AUTH_INTROSPECTION)
  --access FILE            Show and give tools, resources and prompts by scope, as a JSON file says:
                           { "rules": [{ "tools": ["admin_*"], "scopes": ["admin"] }] } (environment: PARLEY_ACCESS)`;

type Flag = keyof typeof ACCESS_OPTIONS;

export interface ReadAccess {
  /** `undefined` when nothing is said about who may use the server. */
  readonly access: AccessSettings | undefined;
  readonly rules: AccessFile['rules'];
}

/** Reads who may use a server, and what of it. */
export function readAccess(text: (flag: Flag) => string | undefined, env: NodeJS.ProcessEnv): ReadAccess {
  const file = text('access');
  const { rules, implies } = file === undefined ? { rules: [], implies: {} } : readAccessFile(file, env);
  const access = whoMay(text, env);
  return { rules, access: access === undefined ? undefined : { ...access, implies } };
}

function whoMay(text: (flag: Flag) => string | undefined, env: NodeJS.ProcessEnv): AccessSettings | undefined {
  const said = (Object.keys(ACCESS_OPTIONS) as Flag[]).filter((flag) => flag !== 'access' && text(flag) !== undefined);
  if (said.length === 0) return undefined;
  const tokensFile = text('auth-tokens');
  const issuer = text('auth-issuer');
  if (tokensFile === undefined && issuer === undefined) {
    throw new UsageError(`Cannot use --${said[0]} alone: give --auth-tokens or --auth-issuer too`);
  }
  const url = text('auth-introspection');
  return {
    tokensFile,
    issuer,
    audiences: listOf(text('auth-audience')),
    scopes: listOf(text('auth-scopes')),
    ...(text('auth-types') === undefined ? {} : { types: listOf(text('auth-types')) }),
    ...(url === undefined ? {} : { introspection: { url, client: clientOf(env) } }),
    env,
  };
}

function clientOf(env: NodeJS.ProcessEnv): { id: string; secret: string } {
  const { PARLEY_AUTH_CLIENT_ID: id, PARLEY_AUTH_CLIENT_SECRET: secret } = env;
  if (id !== undefined && secret !== undefined) return { id, secret };
  throw new UsageError(
    'Cannot ask about tokens: set PARLEY_AUTH_CLIENT_ID and PARLEY_AUTH_CLIENT_SECRET in the environment',
  );
}

/** The words of a list with commas or spaces between them. */
export function listOf(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter((part) => part !== '');
}

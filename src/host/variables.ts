/** What the environment may say, under its own name and the names other servers use; the first that is set counts. */
export const VARIABLES = {
  serverName: ['PARLEY_SERVER_NAME', 'HS_MCP_SERVER_NAME'],
  serverVersion: ['PARLEY_SERVER_VERSION', 'HS_MCP_SERVER_VERSION'],
  endpoint: ['PARLEY_ENDPOINT', 'HS_MCP_ENDPOINT'],
  tools: ['PARLEY_TOOLS', 'HS_MCP_TOOLS_ENABLED'],
  resources: ['PARLEY_RESOURCES', 'HS_MCP_RESOURCES_ENABLED'],
  fileRoot: ['PARLEY_FILE_ROOT', 'HS_MCP_FILE_TOOL_ROOT'],
  httpAllow: ['PARLEY_HTTP_ALLOW'],
  httpPorts: ['PARLEY_HTTP_PORTS'],
  lisp: ['PARLEY_LISP'],
  logFiles: ['PARLEY_LOG_FILES', 'AIUR_ENABLE_FILE_LOGGING'],
  logDirectory: ['PARLEY_LOG_DIRECTORY', 'AIUR_LOG_DIRECTORY'],
  logRetentionDays: ['PARLEY_LOG_RETENTION_DAYS', 'AIUR_LOG_RETENTION_DAYS'],
  logFileBytes: ['PARLEY_LOG_FILE_BYTES', 'AIUR_MAX_LOG_FILE_SIZE'],
} as const satisfies Record<string, readonly string[]>;

export type Variable = keyof typeof VARIABLES;
export type Variables = { readonly [V in Variable]?: string };

/** Reads what is set; an empty value is none. */
export function readVariables(env: Readonly<Record<string, string | undefined>>): Variables {
  const found = Object.entries(VARIABLES).flatMap(([variable, names]) => {
    const value = names.map((name) => env[name]).find((text) => text !== undefined && text !== '');
    return value === undefined ? [] : [[variable, value] as const];
  });
  return Object.fromEntries(found);
}

const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Whether a switch is on; `undefined` when it says neither. */
export function switchOf(text: string): boolean | undefined {
  return SWITCH.get(text.trim().toLowerCase());
}

/** The names of a variable, for a message. */
export function namesOf(variable: Variable): string {
  return VARIABLES[variable].join(' or ');
}

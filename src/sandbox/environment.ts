/** What programs need to find files, other programs and the user's language; none of it is a secret. */
const PLAIN = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'NODE_ENV'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA'],
];

/** The part of an environment that a process of foreign code gets: what is plain, and what is named. */
export function smallEnvironment(env: NodeJS.ProcessEnv, named: readonly string[] = []): NodeJS.ProcessEnv {
  const names = [...PLAIN, ...named].filter((name) => env[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

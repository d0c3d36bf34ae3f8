export type Severity = 'debug' | 'info' | 'warn' | 'error';

/** Where the inside tells its operator what happened. Never a client's business. */
export type Log = (severity: Severity, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The log of a part nobody listens to. */
export const silent: Log = () => {};

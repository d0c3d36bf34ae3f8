import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isObject, type JsonObject } from '../model/json.ts';

export interface IssuerLimits {
  readonly issuerBytes: number;
  readonly issuerMs: number;
}

export interface IssuerRequest {
  readonly url: URL;
  readonly limits: IssuerLimits;
  /** Sent as the form it is; without one it is asked with GET. */
  readonly form?: string;
  readonly authorization?: string;
}

/** The first digit of a status that means success. */
const SUCCESS = 2;

/**
 * Asks an authorization server for a JSON object. Takes no redirect, no answer that is too long or too late, and no
 * status but success.
 */
export function askIssuer({ url, limits, form, authorization }: IssuerRequest): Promise<JsonObject> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const headers = {
    accept: 'application/json',
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const signal = AbortSignal.timeout(limits.issuerMs);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`Cannot ask ${url.origin}${url.pathname}: ${why}`));
    const asked = send(url, { method: form === undefined ? 'GET' : 'POST', headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      if (Math.trunc((response.statusCode ?? 0) / 100) !== SUCCESS) {
        response.destroy();
        return fail(`it answered with status ${response.statusCode}`);
      }
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= limits.issuerBytes) return void chunks.push(chunk);
        response.destroy();
        fail(`its answer is longer than ${limits.issuerBytes} bytes`);
      });
      response.on('error', () => fail('its answer broke off'));
      response.on('end', () => {
        const answer = objectIn(Buffer.concat(chunks));
        if (answer === undefined) fail('its answer is not a JSON object');
        else resolve(answer);
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) =>
      fail(signal.aborted ? 'it took too long' : (error.code ?? 'no answer')),
    );
    asked.end(form);
  });
}

/** The JSON object in some bytes, if that is what they are. */
export function objectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An address of an authorization server: https, or http on this machine. Throws `TypeError` for any other. */
export function issuerUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (url === undefined || !safe || url.username !== '' || url.password !== '') {
    throw new TypeError(`Cannot use ${what} "${text}": give an https address (http only on this machine)`);
  }
  return url;
}

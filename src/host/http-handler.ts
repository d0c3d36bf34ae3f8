import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../catalog/server.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Host, HostOptions } from './host.ts';

/** A server to be mounted in a program that listens itself. */
export interface HttpHandler {
  /** For `node:http`, Express, Fastify and everything that takes a Node request listener. */
  listener(request: IncomingMessage, response: ServerResponse): void;
  /** For everything that speaks web-standard `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Ends streams, lets calls in flight finish within the grace period, and lets go of everything. */
  close(): Promise<void>;
}

export interface HttpHandlerOptions extends Pick<HostOptions, 'secrets' | 'bare'> {
  /** The program listens on this machine alone, so that its own names are the only ones expected. */
  readonly loopback?: boolean;
  /** Names the program is reached by, with or without a port; without any, every name is taken. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use the server, such as `https://app.example`. */
  readonly allowedOrigins?: readonly string[];
  /** Where clients find the program; its host is expected. */
  readonly publicUrl?: string;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
}

/** Makes a server, or a host, ready to be mounted at one path of another program. */
export async function createHttpHandler(source: Server | Host, options: HttpHandlerOptions = {}): Promise<HttpHandler> {
  // Loaded when it is called for: a program that serves stdio alone starts without it.
  const { openHttpHandler } = await import('./http-adapter.ts');
  return openHttpHandler(source, options);
}

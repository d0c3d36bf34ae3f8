import type { Server } from '../catalog/server.ts';
import type { HttpHandler, HttpHandlerOptions } from './http-adapter.ts';

/** Makes a server ready to be mounted at one path of another program. */
export async function createHttpHandler(server: Server, options: HttpHandlerOptions = {}): Promise<HttpHandler> {
  // Loaded when it is called for: a program that serves stdio alone starts without it.
  const { openHttpHandler } = await import('./http-adapter.ts');
  return openHttpHandler(server, options);
}

export type { Check, Checked, Completer, Offer, Provider, ToolEntry } from './catalog/provider.ts';
export { createServer, type Server, type ServerOptions } from './catalog/server.ts';
export { createHost, type Host, type HostOptions } from './host/host.ts';
export { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from './host/http-handler.ts';
export { type ServeStdioOptions, serveStdio } from './host/serve-stdio.ts';
export type { Ask, Call } from './model/call.ts';
export { Fault, type FaultCode, ToolError } from './model/fault.ts';
export type { Json, JsonObject } from './model/json.ts';
export { LIMITS, type Limits } from './model/limits.ts';

import { createPack, type Server } from '../../../catalog/server.ts';
import { ToolError } from '../../../model/fault.ts';
import { createEgress, type EgressOptions } from '../../../sandbox/egress.ts';
import { EGRESS_LIMITS } from '../../../sandbox/egress-limits.ts';
import { EGRESS_METHODS, EgressError } from '../../../sandbox/egress-rules.ts';
import { describeResponse } from './describe-response.ts';

/** A tool that makes HTTP requests to the public internet and to what is allowed. */
export function createHttp(options: EgressOptions = {}): Server {
  const egress = createEgress(options);
  const { deadlineMs } = { ...EGRESS_LIMITS, ...options.limits };
  const server = createPack({ name: 'http', version: '1.0.0' });
  server.tool(
    'http_request',
    {
      title: 'Make an HTTP request',
      description:
        'Makes an HTTP request to a server on the public internet and returns its status, headers and body. Redirects are followed; a long body is cut.',
      input: {
        type: 'object',
        properties: {
          url: { type: 'string', minLength: 1, maxLength: 8192, description: 'Where to send it: an http or https URL' },
          method: { type: 'string', description: `One of ${EGRESS_METHODS.join(', ')}`, default: 'GET' },
          headers: {
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'Headers to send, by name',
          },
          body: { type: 'string', description: 'Body to send' },
        },
        required: ['url'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      // A little longer than the request itself may take, so that it is the request that says so.
      deadlineMs: deadlineMs + 1000,
    },
    async (ask, { signal }) => {
      try {
        return describeResponse(await egress.request(ask, signal));
      } catch (error) {
        if (error instanceof EgressError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  );
  return server;
}

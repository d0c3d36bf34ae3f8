import { excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Tool, ToolResult } from '../model/items.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';
import type { Answer, Operation, Verb } from '../model/verbs.ts';
import type { Dialect } from './dialect.ts';

const VERBS: readonly Verb[] = ['tools.list', 'tools.call', 'ping'];

/**
 * JSON-RPC without a handshake: `tools/list` answers with an array whose members have a `schema`, and `tools/call`
 * with the bare value. It reads as `base` does and says everything else as `base` would.
 */
export function createBare(base: Dialect): Dialect {
  return {
    ...base,
    name: 'bare',
    opens: 'never',
    asksBy: 'never',
    pushes: 'never',
    tasksBy: 'never',
    mayAsk: () => false,
    defers: () => false,
    read(message) {
      const incoming = base.read(message);
      if (incoming.kind !== 'call' || VERBS.includes(incoming.operation.verb)) return incoming;
      const { method } = message as JsonObject;
      return {
        kind: 'refused',
        id: incoming.id,
        fault: new Fault('E_UNKNOWN_METHOD', `Method not found: "${excerpt(String(method))}"`),
      };
    },
    answer<V extends Verb>(id: WireId, { verb }: Operation<V>, answer: Answer<V>): string {
      return JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(verb, answer) });
    },
    tell: () => undefined,
  };
}

function resultOf<V extends Verb>(verb: V, answer: Answer<V>): unknown {
  if (verb === 'tools.list') return (answer as Answer<'tools.list'>).tools.map(describe);
  return verb === 'tools.call' ? rawResult(answer as ToolResult) : answer;
}

function describe({ name, description, inputSchema }: Tool): JsonObject {
  return { name, description, schema: inputSchema };
}

function rawResult({ content, structured, failed = false }: ToolResult): unknown {
  return !failed && isObject(structured) ? structured : { content, isError: failed };
}

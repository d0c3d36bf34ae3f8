import type { JsonObject } from '../../src/model/json.ts';
import { isObject } from '../../src/model/json.ts';
import { isModern, KEY, type RevisionId, since } from './revisions.ts';
import {
  any,
  both,
  either,
  exactly,
  integer,
  list,
  mapOf,
  meta,
  number,
  object,
  oneOf,
  record,
  type Shape,
  text,
  uri,
  wireId,
} from './shape.ts';

// What the server may tell and ask, revision by revision.

const role = oneOf('user', 'assistant');
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What the server may tell, by method. */
export function noticeShapes(revision: RevisionId): Record<string, Shape> {
  const modern = isModern(revision);
  const tag: Record<string, Shape> = modern
    ? { _meta: both(meta(KEY.subscription), (v, path) => wireId((v as JsonObject)?.[KEY.subscription], path)) }
    : { '_meta?': meta() };
  return {
    'notifications/progress': record({
      progressToken: wireId,
      progress: number,
      'total?': number,
      ...(since(revision, '2025-03-26') ? { 'message?': text } : {}),
    }),
    'notifications/message': record({ level: oneOf(...levels), data: any, 'logger?': text }),
    'notifications/tools/list_changed': record(tag),
    'notifications/prompts/list_changed': record(tag),
    'notifications/resources/list_changed': record(tag),
    'notifications/resources/updated': record({ uri, ...tag }),
    'notifications/cancelled': record({ requestId: wireId, 'reason?': text }),
    ...(modern
      ? {
          'notifications/subscriptions/acknowledged': record({
            notifications: record({
              'toolsListChanged?': exactly(true),
              'promptsListChanged?': exactly(true),
              'resourcesListChanged?': exactly(true),
              'resourceSubscriptions?': list(uri),
              'taskIds?': list(text),
            }),
            ...tag,
          }),
        }
      : {}),
  };
}

/** What the server may ask, by method. */
export function questionShapes(revision: RevisionId): Record<string, Shape> {
  const rich = since(revision, '2025-11-25');
  const flat: Shape = (value, path) => {
    if (!isObject(value) || value['type'] !== 'object') return [`${path} must be a schema of type object`];
    return mapOf((field, at) => {
      const kind = isObject(field) ? field['type'] : undefined;
      const known = ['string', 'number', 'integer', 'boolean', ...(rich ? ['array'] : [])];
      return known.includes(String(kind)) ? [] : [`${at} has the type ${kind}, which no form of this revision has`];
    })(value['properties'], `${path}.properties`);
  };
  const form = record({ ...(rich ? { mode: exactly('form') } : {}), message: text, requestedSchema: flat });
  const url = record({
    mode: exactly('url'),
    message: text,
    url: uri,
    ...(isModern(revision) ? {} : { elicitationId: text }),
  });
  const elicit: Shape = (value, path) => (rich && isObject(value) && value['mode'] === 'url' ? url : form)(value, path);
  const kinds = [
    'text',
    'image',
    ...(since(revision, '2025-03-26') ? ['audio'] : []),
    ...(rich ? ['tool_use', 'tool_result'] : []),
  ];
  const one: Shape = (value, path) => oneOf(...kinds)((value as JsonObject)?.['type'], `${path}.type`);
  const sample = record({
    messages: list(
      record({ role, content: rich ? either(one, list(one)) : one, ...(rich ? { '_meta?': meta() } : {}) }),
    ),
    maxTokens: integer,
    'systemPrompt?': text,
    'temperature?': number,
    'stopSequences?': list(text),
    'modelPreferences?': object,
    'includeContext?': oneOf('none', 'thisServer', 'allServers'),
    'metadata?': object,
    ...(rich ? { 'tools?': list(object), 'toolChoice?': object } : {}),
  });
  return {
    'sampling/createMessage': sample,
    'roots/list': record({}),
    ...(since(revision, '2025-06-18') ? { 'elicitation/create': elicit } : {}),
  };
}

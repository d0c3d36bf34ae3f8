import type { Json, JsonObject } from '../../src/model/json.ts';
import { isObject } from '../../src/model/json.ts';
import { ALL, isModern, KEY, type RevisionId, since } from './revisions.ts';
import {
  any,
  base64,
  both,
  either,
  exactly,
  flag,
  integer,
  list,
  mapOf,
  meta,
  natural,
  number,
  object,
  oneOf,
  record,
  type Shape,
  tagged,
  text,
  uri,
  wireId,
} from './shape.ts';
import { mayRelate, taskNotices, taskResults, ticket } from './task-shapes.ts';
import { noticeShapes, questionShapes } from './told-shapes.ts';

// Everything the server may send, revision by revision: the members, their types, and nothing else.

/** The shapes of one revision. */
export interface Shapes {
  /** By the method of the request. */
  readonly results: Readonly<Record<string, Shape>>;
  readonly notifications: Readonly<Record<string, Shape>>;
  readonly requests: Readonly<Record<string, Shape>>;
  readonly error: Shape;
}

const role = oneOf('user', 'assistant');

function build(revision: RevisionId): Shapes {
  const modern = isModern(revision);
  const from = (first: RevisionId, members: Record<string, Shape>) => (since(revision, first) ? members : {});
  const itemMeta = from('2025-06-18', { '_meta?': meta() });
  const title = from('2025-06-18', { 'title?': text });
  const icon = record({ src: text, 'mimeType?': text, 'sizes?': list(text), 'theme?': oneOf('light', 'dark') });
  const icons = from('2025-11-25', { 'icons?': list(icon) });
  const notes = record({ 'audience?': list(role), 'priority?': number, 'lastModified?': text });

  const result = (members: Record<string, Shape>): Shape =>
    record({
      ...members,
      ...(modern ? { resultType: exactly('complete'), _meta: signed } : { '_meta?': meta() }),
    });
  const who = record({
    name: text,
    version: text,
    ...title,
    ...from('2025-11-25', { 'description?': text, 'icons?': list(icon), 'websiteUrl?': text }),
  });
  const signed: Shape = both(meta(KEY.server, KEY.subscription), (value, path) =>
    who((value as JsonObject)?.[KEY.server], `${path}.${KEY.server}`),
  );
  const fresh = modern ? { ttlMs: natural, cacheScope: oneOf('public', 'private') } : {};
  const page = { 'nextCursor?': text, ...fresh };

  const contents: Shape = both(
    record({ uri, 'mimeType?': text, 'text?': text, 'blob?': base64, ...itemMeta }),
    (value, path) =>
      isObject(value) && (value['text'] === undefined) !== (value['blob'] === undefined)
        ? []
        : [`${path} must hold either text or blob`],
  );
  const block = { 'annotations?': notes, ...itemMeta };
  const resource = {
    uri,
    name: text,
    ...title,
    'description?': text,
    'mimeType?': text,
    'size?': natural,
    'annotations?': notes,
    ...icons,
    ...itemMeta,
  };
  const content = tagged('type', {
    text: record({ type: any, text, ...block }),
    image: record({ type: any, data: base64, mimeType: text, ...block }),
    ...from('2025-03-26', { audio: record({ type: any, data: base64, mimeType: text, ...block }) }),
    resource: record({ type: any, resource: contents, ...block }),
    ...from('2025-06-18', { resource_link: record({ type: any, ...resource }) }),
  });
  const rootSchema: Shape = (value, path) => {
    if (!isObject(value) || value['type'] !== 'object') return [`${path} must be a schema of type object`];
    const { properties } = value;
    return properties === undefined
      ? []
      : mapOf(modern ? either(object, flag) : object)(properties, `${path}.properties`);
  };
  const tool = record({
    name: text,
    ...title,
    'description?': text,
    inputSchema: rootSchema,
    ...from('2025-03-26', {
      'annotations?': record({
        'title?': text,
        'readOnlyHint?': flag,
        'destructiveHint?': flag,
        'idempotentHint?': flag,
        'openWorldHint?': flag,
      }),
    }),
    ...from('2025-06-18', { 'outputSchema?': modern ? object : rootSchema }),
    ...(revision === '2025-11-25' ? { 'execution?': object } : {}),
    ...icons,
    ...itemMeta,
  });
  const prompt = record({
    name: text,
    ...title,
    'description?': text,
    'arguments?': list(record({ name: text, ...title, 'description?': text, 'required?': flag })),
    ...icons,
    ...itemMeta,
  });
  const capabilities = both(
    mapOf(object),
    record({
      'tools?': object,
      'resources?': object,
      'prompts?': object,
      'logging?': object,
      ...from('2025-03-26', { 'completions?': object }),
      'experimental?': object,
      'extensions?': object,
      ...(revision === '2025-11-25' ? { 'tasks?': object } : {}),
    }),
  );
  const questions = questionShapes(revision);
  const asked = record({
    resultType: exactly('input_required'),
    requestState: text,
    inputRequests: mapOf((value, path) => {
      const shape = isObject(value) ? questions[String(value['method'])] : undefined;
      return shape === undefined
        ? [`${path} asks what this revision cannot`]
        : record({ method: any, params: shape })(value, path);
    }),
    _meta: signed,
  });
  const mayAsk = (shape: Shape): Shape =>
    modern
      ? (value, path) => ((value as JsonObject)?.['resultType'] === 'input_required' ? asked : shape)(value, path)
      : shape;
  const empty = result({});
  const called = result({
    content: list(content),
    'isError?': flag,
    ...from('2025-06-18', { 'structuredContent?': modern ? any : object }),
  });
  const tasks = { called, questions, signed };
  const relating = (shapes: Record<string, Shape>): Record<string, Shape> =>
    revision === '2025-11-25'
      ? Object.fromEntries(Object.entries(shapes).map(([method, shape]) => [method, mayRelate(shape)]))
      : shapes;
  const lists: Record<string, Shape> = {
    'tools/list': result({ tools: list(tool), ...page }),
    'resources/list': result({ resources: list(record(resource)), ...page }),
    'resources/templates/list': result({
      resourceTemplates: list(
        record({
          uriTemplate: text,
          name: text,
          ...title,
          'description?': text,
          'mimeType?': text,
          'annotations?': notes,
          ...icons,
          ...itemMeta,
        }),
      ),
      ...page,
    }),
    'prompts/list': result({ prompts: list(prompt), ...page }),
  };
  return {
    results: {
      ...lists,
      'tools/call': ticket(revision, mayAsk(called), signed),
      ...taskResults(revision, tasks),
      'resources/read': mayAsk(result({ contents: list(contents), ...fresh })),
      'prompts/get': mayAsk(result({ 'description?': text, messages: list(record({ role, content })) })),
      'completion/complete': result({
        completion: record({ values: list(text, 100), 'total?': natural, 'hasMore?': flag }),
      }),
      ...(modern
        ? {
            'server/discover': result({
              supportedVersions: list(oneOf('2026-07-28')),
              capabilities,
              'instructions?': text,
              ...fresh,
            }),
            'subscriptions/listen': empty,
          }
        : {
            initialize: result({
              protocolVersion: exactly(revision),
              capabilities,
              serverInfo: who,
              'instructions?': text,
            }),
            ping: empty,
            'logging/setLevel': empty,
            'resources/subscribe': empty,
            'resources/unsubscribe': empty,
          }),
    },
    notifications: { ...relating(noticeShapes(revision)), ...taskNotices(revision, tasks) },
    requests: modern ? {} : relating(questions),
    error: record({ code: integer, message: text, 'data?': any }),
  };
}

const SHAPES = new Map<string, Shapes>(ALL.map((id) => [id, build(id)]));

/** The shapes of a revision. */
export function shapesOf(revision: string): Shapes {
  const shapes = SHAPES.get(revision);
  if (shapes === undefined) throw new RangeError(`The tests know no revision "${revision}"`);
  return shapes;
}

/** What is wrong with a message the server sent in a revision; `method` is that of the request it answers. */
export function problemsIn(revision: string, message: Json, method?: string): string[] {
  const { notifications, requests } = shapesOf(revision);
  if (!isObject(message)) return ['a message must be an object'];
  const { id, params = {}, method: own, jsonrpc } = message;
  if (jsonrpc !== '2.0') return ['jsonrpc must be "2.0"'];
  if (typeof own !== 'string') return problemsInAnswer(revision, message, method);
  const shape = (id === undefined ? notifications : requests)[own];
  return shape === undefined ? [`${revision} has no message "${own}" from a server`] : shape(params, own);
}

function problemsInAnswer(revision: string, { id, result, error }: JsonObject, method = 'nothing'): string[] {
  const { results, error: errorShape } = shapesOf(revision);
  if ((result === undefined) === (error === undefined)) return ['an answer must hold either a result or an error'];
  if (error === undefined) {
    const shape = results[method];
    const problems = shape?.(result, method) ?? [`no result of "${method}" is known in ${revision}`];
    return [...wireId(id, 'id'), ...problems];
  }
  const nameless = id === (since(revision, '2025-11-25') ? undefined : null);
  return [...(nameless ? [] : wireId(id, 'id')), ...errorShape(error, 'error')];
}

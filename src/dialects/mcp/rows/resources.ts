import type { Resource, ResourceContents, ResourceTemplate } from '../../../model/items.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Codec, Row } from '../revision.ts';
import { readFresh, writeFresh } from './lifecycle.ts';
import { maybeObject, pick, readObjects, readText } from './read.ts';
import { pageAsk, readNext, writeNext } from './tools.ts';

export interface ListWords {
  fields: string[];
  /** Whether the answer says how long it keeps. */
  keeps: boolean;
}

export function resourcesList(says: ListWords): Row<'resources.list'> {
  return {
    verb: 'resources.list',
    says: { ...says },
    kept: true,
    ask: pageAsk,
    answer: {
      read: (wire) => ({
        resources: readObjects(wire, 'resources').map((item) => readItem<Resource>(item, 'uri')),
        ...readNext(wire),
        ...readFresh(wire),
      }),
      write: ({ resources, next, fresh }) => ({
        resources: resources.map((resource) => pick(resource, says.fields)),
        ...writeNext(next),
        ...(says.keeps ? writeFresh(fresh) : {}),
      }),
    },
  };
}

export function templatesList(says: ListWords): Row<'resources.templates'> {
  return {
    verb: 'resources.templates',
    says: { ...says },
    kept: true,
    ask: pageAsk,
    answer: {
      read: (wire) => ({
        templates: readObjects(wire, 'resourceTemplates').map((item) =>
          readItem<ResourceTemplate>(item, 'uriTemplate'),
        ),
        ...readNext(wire),
        ...readFresh(wire),
      }),
      write: ({ templates, next, fresh }) => ({
        resourceTemplates: templates.map((template) => pick(template, says.fields)),
        ...writeNext(next),
        ...(says.keeps ? writeFresh(fresh) : {}),
      }),
    },
  };
}

export function resourcesRead(says: { fields: string[]; keeps: boolean }): Row<'resources.read'> {
  return {
    verb: 'resources.read',
    named: 'uri',
    says: { ...says },
    asks: true,
    ask: uriAsk,
    answer: {
      read: (wire) => ({
        contents: readObjects(wire, 'contents').map((item) => readItem<ResourceContents>(item, 'uri')),
        ...maybeObject(wire, '_meta'),
        ...readFresh(wire),
      }),
      write: ({ contents, fresh, _meta }) => ({
        contents: contents.map((content) => pick(content, says.fields)),
        ...(says.keeps ? writeFresh(fresh) : {}),
        ...(_meta === undefined ? {} : { _meta }),
      }),
    },
  };
}

const uriAsk: Codec<{ uri: string }> = {
  read: (wire) => ({ uri: readText(wire, 'uri') }),
  write: ({ uri }) => ({ uri }),
};
const nothing: Codec<Record<string, never>> = { read: () => ({}), write: () => ({}) };

export const resourcesSubscribe: Row<'resources.watch'> = { verb: 'resources.watch', ask: uriAsk, answer: nothing };
export const resourcesUnsubscribe: Row<'resources.unwatch'> = {
  verb: 'resources.unwatch',
  ask: uriAsk,
  answer: nothing,
};

function readItem<T>(wire: JsonObject, key: string): T {
  readText(wire, key);
  return wire as unknown as T;
}

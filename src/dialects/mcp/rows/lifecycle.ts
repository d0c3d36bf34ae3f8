import type { ClientCapabilities, ServerCapabilities } from '../../../model/capabilities.ts';
import type { Freshness, Implementation } from '../../../model/items.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Codec, Row } from '../revision.ts';
import { maybeText, pick, readArray, readObject, readText, wrong } from './read.ts';

const nothing: Codec<Record<string, never>> = { read: () => ({}), write: () => ({}) };

export const ping: Row<'ping'> = { verb: 'ping', ask: nothing, answer: nothing };

/** HyperServe's clients may send their confirmation as a request (seed 001). */
export const confirmed: Row<'ready'> = { verb: 'ready', ask: nothing, answer: nothing };

/** Opens a session at one revision, which knows these members of an implementation and must not hear of some capabilities. */
export function initialize(revision: string, says: { implementation: string[]; hides: string[] }): Row<'hello'> {
  const who = (implementation: Implementation): JsonObject => pick(implementation, says.implementation);
  return {
    verb: 'hello',
    says,
    kept: true,
    ask: {
      read(wire) {
        readText(wire, 'protocolVersion');
        const capabilities = readObject(wire, 'capabilities') as ClientCapabilities;
        return { client: readImplementation(wire, 'clientInfo'), capabilities };
      },
      write: ({ client, capabilities }) => ({
        protocolVersion: revision,
        capabilities,
        clientInfo: client === undefined ? { name: 'unknown', version: '0' } : who(client),
      }),
    },
    answer: {
      read: (wire) => ({
        server: readImplementation(wire, 'serverInfo'),
        capabilities: readObject(wire, 'capabilities') as ServerCapabilities,
        ...maybeText(wire, 'instructions'),
        revisions: [readText(wire, 'protocolVersion')],
      }),
      write: ({ server, capabilities, instructions }) => ({
        protocolVersion: revision,
        capabilities: without(capabilities, says.hides),
        serverInfo: who(server),
        ...(instructions === undefined ? {} : { instructions }),
      }),
    },
  };
}

export interface DiscoverWords {
  hides: string[];
  /** Capabilities that are extensions here, and under which names. */
  extends: Record<string, string>;
}

/** Says what the server is, to a client that names its revision in every request. */
export function discover(says: DiscoverWords): Row<'hello'> {
  return {
    verb: 'hello',
    says: { ...says },
    kept: true,
    ask: { read: () => ({ capabilities: {} }), write: () => ({}) },
    answer: {
      read(wire) {
        const server = readSigner(wire) ?? { name: 'unknown', version: '0' };
        return {
          server,
          capabilities: readObject(wire, 'capabilities') as ServerCapabilities,
          ...maybeText(wire, 'instructions'),
          revisions: readArray(wire, 'supportedVersions').map(String),
          ...readFresh(wire),
        };
      },
      write: ({ capabilities, instructions, revisions, fresh }) => ({
        supportedVersions: [...revisions],
        capabilities: extended(capabilities, says),
        ...(instructions === undefined ? {} : { instructions }),
        ...writeFresh(fresh),
      }),
    },
  };
}

export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

function readSigner(wire: JsonObject): Implementation | undefined {
  const meta = wire['_meta'] as JsonObject | undefined;
  return meta?.[SERVER_INFO_KEY] === undefined ? undefined : readImplementation(meta, SERVER_INFO_KEY);
}

export function readImplementation(wire: JsonObject, member: string): Implementation {
  const value = readObject(wire, member);
  if (typeof value['name'] !== 'string') throw wrong(`${member}.name`, 'a string');
  if (typeof value['version'] !== 'string') throw wrong(`${member}.version`, 'a string');
  return value as unknown as Implementation;
}

// Capability sets are open in every revision, so only what a revision must not hear is held back.
function without(capabilities: ServerCapabilities, hidden: readonly string[]): JsonObject {
  if (!hidden.some((name) => capabilities[name] !== undefined)) return capabilities;
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !hidden.includes(name)));
}

function extended(capabilities: ServerCapabilities, { hides, extends: names }: DiscoverWords): JsonObject {
  const rest = without(capabilities, hides);
  const said = Object.entries(names).filter(([name]) => capabilities[name] !== undefined);
  if (said.length === 0) return rest;
  const extensions = Object.fromEntries(said.map(([, extension]) => [extension, {}]));
  return { ...rest, extensions: { ...(rest['extensions'] as JsonObject | undefined), ...extensions } };
}

const STALE: Freshness = { ttlMs: 0, scope: 'private' };

export function writeFresh({ ttlMs, scope }: Freshness = STALE): JsonObject {
  return { ttlMs, cacheScope: scope };
}

export function readFresh(wire: JsonObject): { fresh?: Freshness } {
  const ttlMs: Json | undefined = wire['ttlMs'];
  const scope = wire['cacheScope'];
  if (typeof ttlMs !== 'number' || (scope !== 'public' && scope !== 'private')) return {};
  return { fresh: { ttlMs, scope } };
}

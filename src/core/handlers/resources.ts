import type { Catalog, FoundResource } from '../../catalog/catalog.ts';
import { after } from '../../catalog/eventually.ts';
import { echoed, excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import type { ResourceContents } from '../../model/items.ts';
import type { Eventually } from '../../model/json.ts';
import type { WatchFilter } from '../../model/peer.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import { attempt } from '../attempt.ts';
import type { Promises } from '../promises.ts';
import { refuseLacking } from '../sight.ts';
import type { Turn } from '../turn.ts';

export function readResource(
  catalog: Catalog,
  { uri }: Ask<'resources.read'>,
  turn: Turn,
): Eventually<Answer<'resources.read'>> {
  const found = catalog.findResource(uri);
  if (found === undefined) throw unknownResource(uri);
  refuseLacking(found.entry, uri);
  const contents = attempt(() => readFound(found, uri, turn), blame(`Resource "${excerpt(uri)}" could not be read`));
  const { fresh } = found.entry;
  return after(contents, (given) => {
    if (given.length === 0) throw unknownResource(uri);
    return fresh === undefined ? { contents: given } : { contents: given, fresh };
  });
}

function readFound(found: FoundResource, uri: string, turn: Turn): Eventually<readonly ResourceContents[]> {
  return found.kind === 'resource' ? found.entry.read(uri, turn) : found.entry.read(uri, found.variables, turn);
}

/** Only what exists can be watched. */
export function watchResource(catalog: Catalog, { uri }: Ask<'resources.watch'>): Answer<'resources.watch'> {
  const found = catalog.findResource(uri);
  if (found === undefined) throw unknownResource(uri);
  refuseLacking(found.entry, uri);
  return {};
}

/** The part of a filter that will be honoured: lists this server offers and resources it has. */
export function honour(
  catalog: Catalog,
  { tools, prompts, resources, uris = [] }: WatchFilter,
  { changes, watches }: Promises,
): WatchFilter {
  const known = watches ? uris.filter((uri) => mayRead(catalog.findResource(uri))) : [];
  return {
    ...(tools === true && changes('tools') ? { tools } : {}),
    ...(prompts === true && changes('prompts') ? { prompts } : {}),
    ...(resources === true && changes('resources') ? { resources } : {}),
    ...(known.length > 0 ? { uris: known } : {}),
  };
}

function mayRead(found: FoundResource | undefined): boolean {
  return found !== undefined && found.entry.lacks === undefined;
}

/** Keeps deliberate faults as they are and hides what foreign code throws behind a sentence of ours. */
export function blame(sentence: string): (error: unknown) => Fault {
  return (error) =>
    Fault.is(error) ? error : new Fault('E_INTERNAL', `${sentence}: internal error`, { cause: error });
}

function unknownResource(uri: string): Fault {
  return new Fault('E_UNKNOWN_RESOURCE', `Resource not found: "${excerpt(uri)}"`, { data: { uri: echoed(uri) } });
}

import { lstat, opendir } from 'node:fs/promises';
import { ToolError } from '../../../model/fault.ts';
import type { Content } from '../../../model/items.ts';
import type { HeldDirectory, Root } from '../../../sandbox/roots.ts';

export interface ListingLimits {
  /** Most entries in one answer. */
  readonly pageEntries: number;
  /** Most entries of a directory that is listed at all. */
  readonly mostEntries: number;
}

export interface ListingAsk extends ListingLimits {
  readonly offset: number;
}

/** One entry of a directory, its members in the order HyperServe's clients know. */
interface Entry {
  readonly modTime: string;
  readonly name: string;
  readonly size: number;
  readonly type: 'file' | 'directory' | 'link' | 'other';
}

/** Lists a directory, sorted by name in code-unit order, so that the same directory gives the same list everywhere. */
export function listDirectory(root: Root, path: string, ask: ListingAsk): Promise<{ content: Content[] }> {
  return root.withDirectory(path, async (directory) => {
    const names = (await namesIn(directory, ask.mostEntries)).sort();
    const page = names.slice(ask.offset, ask.offset + ask.pageEntries);
    const entries = await Promise.all(page.map((name) => describe(directory, name)));
    const shown = entries.filter((entry) => entry !== undefined);
    const content: Content[] = [{ type: 'text', text: JSON.stringify(shown) }];
    const next = ask.offset + page.length;
    if (ask.offset > 0 || next < names.length) {
      const going = next < names.length ? `; go on with offset ${next}` : '';
      content.push({ type: 'text', text: `Entries ${ask.offset} to ${next} of ${names.length}${going}` });
    }
    return { content };
  });
}

async function namesIn({ path }: HeldDirectory, most: number): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(path)) {
    if (names.push(name) > most) throw new ToolError(`The directory has more than ${most} entries: name a smaller one`);
  }
  return names;
}

/** What an entry is, without following it; one that is gone by now is left out. */
async function describe({ path }: HeldDirectory, name: string): Promise<Entry | undefined> {
  const seen = await lstat(`${path}/${name}`).catch(() => undefined);
  if (seen === undefined) return undefined;
  const type = seen.isFile() ? 'file' : seen.isDirectory() ? 'directory' : seen.isSymbolicLink() ? 'link' : 'other';
  return { modTime: seen.mtime.toISOString(), name, size: seen.size, type };
}

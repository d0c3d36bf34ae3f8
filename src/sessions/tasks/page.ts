import { Fault } from '../../model/fault.ts';
import type { TaskRecord } from './record.ts';

const CURSOR = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/;

/** One page of records that are sorted by their creation, and where the next one begins. */
export function pageOf(
  records: readonly TaskRecord[],
  cursor: string | undefined,
  size: number,
): { page: readonly TaskRecord[]; next?: string } {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after === undefined ? records : records.filter((record) => isAfter(record, after));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  if (last === undefined || rest.length <= size) return { page };
  return { page, next: Buffer.from(`${last.created}.${last.id}`).toString('base64url') };
}

type Place = Pick<TaskRecord, 'created' | 'id'>;

function isAfter({ created, id }: Place, place: Place): boolean {
  return created > place.created || (created === place.created && id > place.id);
}

function readCursor(cursor: string): Place {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) throw new Fault('E_BAD_CURSOR', 'Invalid params: the cursor is not one this server gave');
  return { created: Number(match[1]), id: match[2] as string };
}

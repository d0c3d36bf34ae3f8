import { Fault } from '../model/fault.ts';
import type { House } from './house.ts';
import type { StreamHeader } from './outbox.ts';
import { tellFault } from './trouble.ts';

/** What is said in place of a replica that is lost: an error for every request it should have answered, in one message. */
export function obituary({ speakers, log }: Pick<House, 'speakers' | 'log'>, { ids, revision }: StreamHeader): string {
  const dialect = speakers.find(revision) ?? speakers.first;
  const reason = 'The server that ran this request is gone: send it again if doing it twice does no harm';
  const texts = ids.map((id) => tellFault(log, { dialect, id, fault: new Fault('E_CLOSED', reason) }).text);
  return texts.length > 1 ? `[${texts.join(',')}]` : (texts[0] ?? '');
}

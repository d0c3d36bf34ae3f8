import type { Eventually, Json } from '../model/json.ts';
import type { Reply } from './trouble.ts';

/** Answers every message of a batch, and with one batch; with nothing when no message wants an answer. */
export function receiveBatch(
  messages: readonly Json[],
  receive: (message: Json) => Eventually<Reply | undefined>,
): Eventually<Reply | undefined> {
  const replies = messages.map(receive);
  return replies.some((reply) => reply instanceof Promise)
    ? Promise.all(replies).then(join)
    : join(replies as (Reply | undefined)[]);
}

function join(replies: readonly (Reply | undefined)[]): Reply | undefined {
  const texts = replies.flatMap((reply) => (reply === undefined ? [] : [reply.text]));
  return texts.length === 0 ? undefined : { text: `[${texts.join(',')}]` };
}

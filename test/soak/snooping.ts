import { HttpWire } from '../chaos/load/http-wire.ts';
import { Ledger } from '../chaos/load/ledger.ts';
import { SessionTalker } from '../chaos/load/session-talker.ts';
import type { Talker } from '../chaos/load/talker.ts';

export interface Snooped {
  asked: number;
  got: number;
}

/** Tries to enter every session that belongs to a principal under the token of somebody else, and with none. */
export async function snoop(talkers: readonly Talker[], url: string, tokens: readonly string[]): Promise<Snooped> {
  const owned = talkers.filter(
    (talker): talker is SessionTalker => talker instanceof SessionTalker && talker.token !== undefined,
  );
  const sum: Snooped = { asked: 0, got: 0 };
  for (const talker of owned) {
    const stranger = tokens.find((token) => token !== talker.token);
    for (const token of [stranger, undefined]) {
      const { asked, got } = await enter(talker, url, token);
      sum.asked += asked;
      sum.got += got;
    }
  }
  return sum;
}

async function enter(talker: SessionTalker, url: string, token: string | undefined): Promise<Snooped> {
  const ledger = new Ledger({ name: 'snoop', secret: 'none', speaks: [talker.revision] });
  const wire = new HttpWire({ url, ledger, token });
  const headers = talker.headers();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const sent = [
    wire.send({ method: 'POST', headers, body }),
    wire.send({ method: 'GET', headers: { ...headers, 'last-event-id': '0.0' } }),
    wire.send({ method: 'DELETE', headers }),
  ];
  const outcomes = await Promise.all(sent.map(({ outcome }) => outcome));
  wire.close();
  for (const { text } of outcomes) ledger.scan(text);
  const got = outcomes.filter(({ status }) => status < 400).length + ledger.tally.crossed;
  return { asked: outcomes.length, got };
}

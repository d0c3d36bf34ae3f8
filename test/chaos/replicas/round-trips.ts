import { MODERN, NEWEST_LEGACY } from '../../scenarios/revisions.ts';
import { holds } from '../load/acts.ts';
import { randomFrom, secretOf } from '../load/secret.ts';
import { Fleet } from './fleet.ts';
import { History } from './history.ts';
import { ModernRoamer } from './modern-roamer.ts';
import type { Roamer } from './roamer.ts';
import { SessionRoamer } from './session-roamer.ts';

const CALLS = 100;

/** How many commands of Redis a call takes. */
export interface RoundTrips {
  readonly session: number;
  readonly stateless: number;
}

/** Counts what goes to Redis while calls are made, besides the signs of life. */
export async function countRoundTrips(): Promise<RoundTrips> {
  const tokens = ['token-of-one', 'token-of-another'];
  const fleet = await Fleet.launch({ replicas: 1, tokens });
  const history = new History();
  const options = { places: fleet, history, random: randomFrom(1) };
  const [one = '', other = ''] = tokens;
  const session = new SessionRoamer({
    ...options,
    name: 'session',
    secret: secretOf(1),
    revision: NEWEST_LEGACY,
    token: one,
  });
  const modern = new ModernRoamer({ ...options, name: 'modern', secret: secretOf(2), revision: MODERN, token: other });
  try {
    return { session: await commandsOf(session, fleet), stateless: await commandsOf(modern, fleet) };
  } finally {
    await session.close();
    await modern.close();
    await fleet.sink();
  }
}

async function commandsOf(roamer: Roamer, fleet: Fleet): Promise<number> {
  await roamer.open();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { counter } = fleet.gate(0);
  const before = counter.total;
  for (let at = 0; at < CALLS; at += 1) {
    const text = roamer.nonce();
    await roamer.call('plain', { text }, { check: holds(text) });
  }
  if (roamer.ledger.remarks.length > 0) throw new Error(roamer.ledger.remarks.join('\n'));
  return (counter.total - before) / CALLS;
}

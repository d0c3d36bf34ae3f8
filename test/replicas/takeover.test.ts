import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Heard } from '../scenarios/http/heard.ts';
import { createSharedStore, type View } from './shared-store.ts';
import { LEASE_MS, pause, type Stage, stageOn, stageReplicas } from './stage.ts';

const NEWEST = '2025-11-25';
const URI = 'test://one';
const UPDATED = 'notifications/resources/updated';

/** Waits until a stream says that the resource changed, among other things that may have. */
async function updated(stream: Heard): Promise<void> {
  let told = '';
  while (!told.includes(UPDATED)) told = JSON.stringify(await stream.message());
  assert.ok(told.includes(URI), told);
  stream.cut();
}

/** A replica that hears the words of others only from when it is told to. */
function deaf(view: View): () => void {
  let listen = (): void => {};
  const told = new Promise<void>((resolve) => {
    listen = resolve;
  });
  const { publish, subscribe } = view.topics;
  const late = async (...args: Parameters<typeof subscribe>): Promise<() => void> => {
    await told;
    return subscribe(...args);
  };
  Object.assign(view, { topics: { publish, subscribe: late } });
  return listen;
}

describe('A change is told', () => {
  it('to a client that moved twice before its first home was missed', async () => {
    const stage: Stage = await stageReplicas();
    try {
      await pause(LEASE_MS * 1.5);
      const peer = await stage.roam(NEWEST).at(0).open();
      await peer.result('resources/subscribe', { uri: URI });
      const first = await peer.at(1).listen();
      stage.replicas[1]?.store.kill();
      first.cut();
      await peer.answer(peer.at(0).call('touch'));
      const second = await peer.at(2).listen();
      const third = await peer.at(0).listen();
      await second.ended();
      await updated(third);
    } finally {
      await stage.close();
    }
  });

  it('also where it happened long before a new replica could hear of it', async () => {
    const shared = createSharedStore();
    const views = [shared.view(), shared.view()] as const;
    const listen = deaf(views[1]);
    const stage = await stageOn(views, { end: () => shared.close() });
    try {
      const peer = await stage.roam(NEWEST).at(0).open();
      await peer.result('resources/subscribe', { uri: URI });
      const main = await peer.at(1).listen();
      const modern = stage.roam('2026-07-28').at(1);
      const notifications = { resourceSubscriptions: [URI] };
      const listening = await modern.request('subscriptions/listen', { notifications });
      await listening.message('notifications/subscriptions/acknowledged');
      await peer.answer(peer.at(0).call('touch'));
      await pause(LEASE_MS);
      listen();
      await updated(main);
      await updated(listening);
    } finally {
      listen();
      await stage.close();
    }
  });
});

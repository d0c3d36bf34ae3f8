import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { Signal } from './signal.ts';
import * as signals from './signals.ts';

describe('Signal', () => {
  it('is heard only while somebody listens', () => {
    const signal = new Signal<number>('parley:test:heard');
    assert.equal(signal.heard, false);
    const stopOne = signal.listen(() => {});
    const stopOther = signal.listen(() => {});
    assert.equal(signal.heard, true);
    stopOne();
    assert.equal(signal.heard, true);
    stopOther();
    assert.equal(signal.heard, false);
  });

  it('brings every event to every listener until it stops', () => {
    const signal = new Signal<number>('parley:test:brings');
    const heard: number[] = [];
    const stopOne = signal.listen((value) => heard.push(value));
    const stopOther = signal.listen((value) => heard.push(value * 10));
    signal.publish(1);
    stopOne();
    signal.publish(2);
    stopOther();
    signal.publish(3);
    assert.deepEqual(heard, [1, 10, 20]);
  });

  it('reaches whoever knows only the name of the channel', () => {
    const signal = new Signal<{ a: number }>('parley:test:named');
    const heard: unknown[] = [];
    const listener = (payload: unknown) => heard.push(payload);
    subscribe('parley:test:named', listener);
    assert.equal(signal.heard, true);
    signal.publish({ a: 1 });
    unsubscribe('parley:test:named', listener);
    assert.deepEqual(heard, [{ a: 1 }]);
  });
});

describe('the signals', () => {
  it('have the names that are promised to whoever subscribes', () => {
    const names = Object.values(signals).map(({ name }) => name);
    assert.deepEqual(names.sort(), [
      'parley:conversation:close',
      'parley:conversation:open',
      'parley:operation:end',
      'parley:operation:start',
      'parley:session:end',
      'parley:session:open',
      'parley:stream:close',
      'parley:stream:open',
    ]);
  });
});

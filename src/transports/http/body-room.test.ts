import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveRoom, takeRoom } from './body-room.ts';

const MB = 1024 * 1024;

/** Takes what others left, so that a test knows what there is. */
function empty(): void {
  for (let left = 64; left > 0; left -= 1) takeRoom(1, 1);
}

test('room is made for what came, with some to spare, and never for more than is to come', () => {
  empty();
  assert.equal(takeRoom(100, 1_000_000).length, 1600);
  assert.equal(takeRoom(100, 120).length, 120);
  assert.equal(takeRoom(120, 120).length, 120);
});

test('room that was given back is used again where it is long enough, by one at a time', () => {
  empty();
  const room = takeRoom(MB, MB);
  giveRoom(room);
  assert.notEqual(takeRoom(10, MB + 1), room, 'too short for this one');
  assert.equal(takeRoom(1, MB - 1), room, 'as long as it takes, although little has come');
  assert.notEqual(takeRoom(1, MB - 1), room, 'somebody has it');
});

test('room that is very long is not kept, and neither is more than a little in all', () => {
  empty();
  const long = takeRoom(3 * MB, 3 * MB);
  giveRoom(long);
  assert.notEqual(takeRoom(3 * MB, 3 * MB), long);
  const rooms = Array.from({ length: 6 }, () => takeRoom(MB, MB));
  for (const room of rooms) giveRoom(room);
  const again = Array.from({ length: 6 }, () => takeRoom(MB, MB));
  assert.equal(again.filter((room) => rooms.includes(room)).length, 4);
});

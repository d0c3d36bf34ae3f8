// Loaded into a subject before it: tells how much memory is in use after a collection, and profiles on SIGWINCH.

import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

if (process.send !== undefined) {
  process.on('message', () => {
    collect();
    collect();
    process.send(process.memoryUsage());
  });
  process.channel?.unref();
}

const folder = process.env.BENCH_PROFILES;
if (folder !== undefined) {
  const session = new Session();
  let runs = false;
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 200 });
  process.on('SIGWINCH', () => {
    runs = !runs;
    if (runs) return session.post('Profiler.start');
    session.post('Profiler.stop', (_, { profile }) => {
      const file = `${folder}/${process.pid}.cpuprofile`;
      writeFileSync(`${file}.part`, JSON.stringify(profile));
      renameSync(`${file}.part`, file);
    });
  });
}

import { quantiles } from './figures.mjs';

/** Every so manieth answer is read and checked; the others are counted. */
const CHECKED_EVERY = 101;

/** Runs a load and says what it cost each of whoever bore it, and what share of a processor it took itself. */
export async function measured(servings, run) {
  const cpu = () => servings.reduce((sum, serving) => sum + serving.cpu(), 0);
  const ends = servings.map((serving) => serving.profile());
  const before = cpu();
  const own = process.cpuUsage();
  const started = performance.now();
  const { taken, bytes } = await run();
  const wall = performance.now() - started;
  const used = process.cpuUsage(own);
  const sample = {
    ...quantiles(taken),
    perSecond: (taken.length / wall) * 1000,
    cpu: (cpu() - before) / taken.length,
    generator: (used.user + used.system) / 1000 / wall,
    ...(bytes === undefined ? {} : { bytes: bytes / taken.length, cpuPerByte: (cpu() - before) / bytes }),
  };
  for (const end of ends) await end();
  return sample;
}

/** Whether there is time for one more, or too few were done yet. */
function clock({ ms, least = 1 }) {
  const deadline = performance.now() + ms;
  let begun = 0;
  return (now) => {
    if (now >= deadline && begun >= least) return false;
    begun += 1;
    return true;
  };
}

/** One request after the other on every connection; `templates` has one a connection. */
export function flood({ connections, templates, check, ...span }) {
  const more = clock(span);
  const taken = [];
  let bytes = 0;
  let open = connections.length;
  const look = (status, answer, id) => {
    if (status !== 200) throw new Error(`The answer has status ${status}: ${answer?.body ?? ''}`);
    if (answer !== undefined) check(answer, id);
  };
  return new Promise((resolve, reject) => {
    const rest = () => {
      open -= 1;
      if (open === 0) resolve({ taken, bytes });
    };
    const next = (connection, template) => {
      const at = performance.now();
      if (!more(at)) return rest();
      const id = template.turn();
      const done = (status, answer, size) => {
        taken.push(performance.now() - at);
        bytes += size;
        try {
          look(status, answer, id);
        } catch (error) {
          return reject(error);
        }
        next(connection, template);
      };
      connection.send(template.bytes, { keep: taken.length % CHECKED_EVERY === 0, done, fail: reject });
    };
    for (const [index, connection] of connections.entries()) next(connection, templates[index]);
  });
}

/** Something longer than one request, over and over on every connection. */
export async function repeat({ connections, unit, ...span }) {
  const more = clock(span);
  const taken = [];
  let bytes = 0;
  const work = async (connection, index) => {
    for (let at = performance.now(); more(at); at = performance.now()) {
      // Not in one expression: others add to it while this one waits.
      const size = (await unit(connection, index)) ?? 0;
      bytes += size;
      taken.push(performance.now() - at);
    }
  };
  await Promise.all(connections.map(work));
  return { taken, bytes: bytes === 0 ? undefined : bytes };
}

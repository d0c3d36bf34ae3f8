// A proxy between a client and the server's port: passes every byte on, and remembers what was said.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { eachLine, Record } from './record.mjs';

/** Opens a proxy to a server at an origin. */
export async function openOnlooker(origin) {
  const record = new Record();
  const proxy = createServer((incoming, outgoing) => pass(incoming, outgoing, { origin, record }));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    origin: `http://127.0.0.1:${proxy.address().port}`,
    record,
    close() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

function pass(incoming, outgoing, { origin, record }) {
  const { method, url, headers } = incoming;
  const onward = request(`${origin}${url}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers).flushHeaders();
    readAnswer(answer, record);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  whole(incoming, (text) => text !== '' && record.hear(text));
  incoming.pipe(onward);
}

function readAnswer(answer, record) {
  const type = answer.headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) answer.setEncoding('utf8').on('data', eachLine(readEvents(record)));
  else if (type.startsWith('application/json')) whole(answer, (text) => record.check(text));
  else whole(answer, (text) => !['', 'Accepted'].includes(text) && record.strays.push(text));
}

/** Reads the lines of an event stream; an event that is no message is left out, and so is one without data. */
function readEvents(record) {
  let event = 'message';
  return (line) => {
    if (line === '') event = 'message';
    else if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ') && line.length > 6 && event === 'message') record.check(line.slice(6));
    else if (!/^(?:data|id|retry|event)?:/.test(line)) record.strays.push(line);
  };
}

function whole(stream, take) {
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => take(Buffer.concat(chunks).toString('utf8')));
}

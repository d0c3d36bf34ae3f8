// Preloaded into the suite: its own servers listen on this machine alone.
// They read their address right after `listen`, so nothing may be looked up first; hence the inner step of `listen`.

import { Server } from 'node:net';

const { listen } = Server.prototype;
const BACKLOG = 511;
const IPV4 = 4;

Server.prototype.listen = function listenHere(port, ...rest) {
  const anywhere = typeof port === 'number' && typeof rest[0] !== 'string' && typeof this._listen2 === 'function';
  if (!anywhere) return listen.call(this, port, ...rest);
  const onListening = rest.findLast((argument) => typeof argument === 'function');
  if (onListening !== undefined) this.once('listening', onListening);
  this._listen2('127.0.0.1', port, IPV4, BACKLOG);
  return this;
};

import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * A diagnostics channel that knows its payload. Ask `heard` before making the payload: nothing is made for nobody.
 * A listener must not throw; Node ends the process when one does.
 */
export class Signal<Payload> {
  readonly name: string;
  readonly #channel: Channel;

  constructor(name: string) {
    this.name = name;
    this.#channel = channel(name);
  }

  get heard(): boolean {
    return this.#channel.hasSubscribers;
  }

  publish(payload: Payload): void {
    this.#channel.publish(payload);
  }

  /** Calls back on every event until the returned function is called. */
  listen(listener: (payload: Payload) => void): () => void {
    const heard = (payload: unknown) => listener(payload as Payload);
    this.#channel.subscribe(heard);
    return () => void this.#channel.unsubscribe(heard);
  }
}

import type { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';

/** What a link tells whoever holds it. */
export interface Ears {
  /** One whole message came. */
  message(message: Json): void;
  /** A message came that could not be taken in: whoever waited for it waits in vain. */
  lost(fault: Fault): void;
  /** Nothing will come any more, and why. Said once. */
  closed(fault: Fault): void;
}

/** One way to one server: whole messages out as text, whole messages in. It knows nothing of what they say. */
export interface Link {
  /** Starts to listen; called once, before the first message is sent. */
  open(ears: Ears): void;
  /** Sends one message; does nothing when the link is closed. */
  send(text: string): void;
  /** Ends the link and resolves when everything behind it is gone. */
  close(): Promise<void>;
}

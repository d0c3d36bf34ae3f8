import type { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { WireId } from '../../model/peer.ts';
import type { PeerError } from './peer-error.ts';

/** What a link tells whoever holds it. */
export interface Ears {
  /** One whole message came. */
  message(message: Json): void;
  /** Something went wrong with one message: whoever waited for it waits in vain. `id` names the request, if it is known. */
  lost(error: Fault | PeerError, id?: WireId): void;
  /** Nothing will come any more, and why. Said once. */
  closed(fault: Fault): void;
}

/** What is said beside a message, by links that have a place for it. */
export interface Label {
  /** The message speaks for itself: it belongs to no session. */
  readonly alone: boolean;
  /** The revision spoken, where the message says so beside itself. */
  readonly revision?: string | undefined;
  readonly method?: string | undefined;
  /** The message is a request: an answer with this id is expected. */
  readonly id?: WireId | undefined;
  /** What the message asks for, where the revision repeats it beside the message. */
  readonly name?: string | undefined;
  /** Arguments repeated beside the message, by header. */
  readonly mirrored?: Mirrors | undefined;
  /** `greets`: its answer may open a session. `settles`: the session is in use from here on. */
  readonly step?: 'greets' | 'settles' | undefined;
  /** The request nobody wants to have answered any more. */
  readonly cancels?: WireId | undefined;
}

/** Values by the header that carries them. */
export type Mirrors = Readonly<Record<string, string | number | boolean>>;

/** One way to one server: whole messages out as text, whole messages in. It knows nothing of what they say. */
export interface Link {
  /** Arguments are repeated beside the message. */
  readonly mirrors?: boolean;
  /** Every message is taken or refused by itself, so silence means a slow server and not an older one. */
  readonly acknowledges?: boolean;
  /** Starts to listen; called once, before the first message is sent. */
  open(ears: Ears): void;
  /** Sends one message; does nothing when the link is closed. */
  send(text: string, label: Label): void;
  /** Ends the link and resolves when everything behind it is gone. */
  close(): Promise<void>;
}

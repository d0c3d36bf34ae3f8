// What a client sent may be megabytes long; what is said back about it is not.

/** Most characters of a client's text that a message repeats. */
export const EXCERPT_LENGTH = 200;
/** Most characters of a client's text that the data of a fault repeats. */
export const ECHO_LENGTH = 2048;

/** As much of a foreign text as a message should repeat. */
export function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? cut(text, EXCERPT_LENGTH) : text;
}

/** A foreign text for the data of a fault: exact up to a length no honest name or URI reaches, cut beyond it. */
export function echoed(text: string): string {
  return text.length > ECHO_LENGTH ? cut(text, ECHO_LENGTH) : text;
}

/** Never between the halves of a character, since half a one is no valid text. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const halved = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, halved ? length - 1 : length)}…`;
}

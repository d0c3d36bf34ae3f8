/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json | undefined };

/** A JSON object its author wrote as a constant. */
export type JsonLiteral = { readonly [key: string]: JsonLiteralValue | undefined };
type JsonLiteralValue = null | boolean | number | string | readonly JsonLiteralValue[] | JsonLiteral;

/** A value now, or a promise of it: lets a synchronous handler stay synchronous all the way to the wire. */
export type Eventually<T> = T | Promise<T>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

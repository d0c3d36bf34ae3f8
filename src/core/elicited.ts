import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile.ts';

const compiled = new WeakMap<JsonObject, CompiledSchema>();

/** Throws when what a user entered does not fit the form they were shown. */
export function checkElicited(schema: JsonObject, content: unknown): void {
  const check = compiled.get(schema) ?? compileSchema(schema);
  compiled.set(schema, check);
  const issues = check.check(content);
  if (issues.length === 0) return;
  const said = issues.map(({ path, message }) => `${path === '' ? 'content' : path} ${message}`);
  throw new Fault('E_BAD_PARAMS', `Invalid params: the answer does not fit the form: ${said.join('; ')}`);
}

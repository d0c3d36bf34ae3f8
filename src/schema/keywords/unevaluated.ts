import { quote } from '../issue.ts';
import { type Keyword, onArray, onObject } from '../rule.ts';
import type { Run } from '../run.ts';
import { has } from './object.ts';

/** `unevaluatedItems`; runs after every keyword it depends on. */
export const unevaluatedItems: Keyword = (site) => {
  const schema = site.schema['unevaluatedItems'];
  if (schema === undefined || site.draft7) return undefined;
  const node = site.child('unevaluatedItems');
  return onArray((value, run) => {
    const { seen } = run;
    let passed = true;
    for (let index = 0; index < value.length; index += 1) {
      passed = (seen.hasItem(index) || run.at(index, value[index], node)) && passed;
      if (run.decides(passed)) return false;
    }
    seen.prefix = Number.POSITIVE_INFINITY;
    return passed;
  });
};

/** `unevaluatedProperties`; runs after every keyword it depends on. */
export const unevaluatedProperties: Keyword = (site) => {
  const schema = site.schema['unevaluatedProperties'];
  if (schema === undefined || site.draft7) return undefined;
  const node = site.child('unevaluatedProperties');
  const check = schema === false ? forbid : (key: string, value: unknown, run: Run) => run.at(key, value, node);
  return onObject((value, run) => {
    const { seen } = run;
    let passed = true;
    for (const key in value) {
      if (!has(value, key) || seen.hasKey(key)) continue;
      passed = check(key, value[key], run) && passed;
      if (run.decides(passed)) return false;
    }
    seen.everyKey = true;
    return passed;
  });
};

function forbid(key: string, _value: unknown, run: Run): boolean {
  return run.fail(() => `must not have property ${quote(key)}`);
}

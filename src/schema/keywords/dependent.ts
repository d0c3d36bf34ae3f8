import type { JsonObject } from '../../model/json.ts';
import { entriesOf, inPlace, type Keyword, namesOf, onObject, type Site } from '../rule.ts';
import type { Rule } from '../run.ts';
import { has, hasAll } from './object.ts';

type Trigger = readonly [string, Rule];

function needs(site: Site, steps: [string, string]): Trigger {
  const [keyword, property] = steps;
  const names = namesOf(site, (site.schema[keyword] as JsonObject)[property], ...steps);
  site.weigh(names.length + 1);
  const rule: Rule = (value, run) => hasAll(value as JsonObject, names, run);
  return [property, rule];
}

function applies(site: Site, [keyword, property]: [string, string]): Trigger {
  site.weigh(1);
  return [property, inPlace(site.child(keyword, property), site)];
}

function whenPresent(triggers: readonly Trigger[]): Rule | undefined {
  if (triggers.length === 0) return undefined;
  return onObject((value, run) => {
    let passed = true;
    for (const [property, rule] of triggers) {
      if (!has(value, property)) continue;
      passed = rule(value, run) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  });
}

/** `dependentRequired`. */
export const dependentRequired: Keyword = (site) =>
  whenPresent(entriesOf(site, 'dependentRequired').map(([property]) => needs(site, ['dependentRequired', property])));

/** `dependentSchemas`. */
export const dependentSchemas: Keyword = (site) =>
  whenPresent(entriesOf(site, 'dependentSchemas').map(([property]) => applies(site, ['dependentSchemas', property])));

/** `dependencies` of draft 7: a list of names or a schema. */
export const dependencies: Keyword = (site) => {
  if (!site.draft7) return undefined;
  const triggers = entriesOf(site, 'dependencies').map(([property, value]) =>
    Array.isArray(value) ? needs(site, ['dependencies', property]) : applies(site, ['dependencies', property]),
  );
  return whenPresent(triggers);
};

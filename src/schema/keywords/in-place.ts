import { isObject } from '../../model/json.ts';
import { describe } from '../issue.ts';
import { all, inPlace, type Keyword, type Site, schemasOf, type Target } from '../rule.ts';
import { BLAME, type Node, type Rule, type Run } from '../run.ts';
import { isOfType, sayTypes } from './scalar.ts';

const EXPLAINED_BRANCHES = 16;
const NEAREST = 'must match one of the alternatives; the nearest one fails:';

interface Branch {
  readonly rule: Rule;
  /** The types a branch says it takes; undefined when it does not say. */
  readonly types: readonly string[] | undefined;
}

function branchesOf(site: Site, keyword: string): Branch[] | undefined {
  const schemas = site.schema[keyword];
  if (schemas === undefined) return undefined;
  const rules = schemasOf(site, keyword).map((node) => inPlace(node, site));
  if (rules.length === 0) return site.refuse(`"${keyword}" must not be empty`, keyword);
  return rules.map((rule, index) => ({ rule, types: typesOf((schemas as unknown[])[index]) }));
}

function typesOf(schema: unknown): string[] | undefined {
  const type = isObject(schema) ? schema['type'] : undefined;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? (type as string[]) : undefined;
}

/** `allOf`. */
export const allOf: Keyword = (site) => {
  const branches = branchesOf(site, 'allOf');
  return branches === undefined ? undefined : all(branches.map((branch) => branch.rule));
};

/** `anyOf`. */
export const anyOf: Keyword = (site) => {
  const branches = branchesOf(site, 'anyOf');
  if (branches === undefined) return undefined;
  return (value, run) => {
    let passed = false;
    for (const { rule } of branches) {
      if (!run.passes(rule, value)) continue;
      if (!site.tracks) return true;
      passed = true;
    }
    return passed || explain(branches, value, run);
  };
};

/** `oneOf`. */
export const oneOf: Keyword = (site) => {
  const branches = branchesOf(site, 'oneOf');
  if (branches === undefined) return undefined;
  return (value, run) => {
    let passed = 0;
    for (const { rule } of branches) {
      if (!run.passes(rule, value)) continue;
      passed += 1;
      if (passed > 1) return run.fail('must match exactly one of the alternatives, but matches more than one');
    }
    return passed === 1 || explain(branches, value, run);
  };
};

// Says what is wrong in the words of the branch the value comes closest to.
function explain(branches: readonly Branch[], value: unknown, run: Run): false {
  if (run.quiet > 0) return false;
  const candidates = branches.filter(({ types }) => types === undefined || isOfType(types, value));
  if (candidates.length === 0) {
    const types = [...new Set(branches.flatMap((branch) => branch.types ?? []))];
    return run.fail(`must be ${sayTypes(types)}, got ${describe(value)}`, BLAME.kind);
  }
  const [nearest] = candidates
    .slice(0, EXPLAINED_BRANCHES)
    .map((branch) => run.gather(branch.rule, value))
    .sort((one, other) => one.blame - other.blame);
  if (nearest === undefined || nearest.issues.length === 0) return run.fail('must match one of the alternatives');
  if (candidates.length > 1 && nearest.issues[0]?.message !== NEAREST) run.fail(NEAREST, 0);
  run.repeat(nearest.issues, nearest.blame);
  return false;
}

/** `not`. */
export const not: Keyword = (site) => {
  if (site.schema['not'] === undefined) return undefined;
  const node = site.child('not');
  return (value, run) => !run.passes(node.rule, value) || run.fail('must not match the schema it excludes');
};

/** `if`, `then` and `else`. */
export const conditional: Keyword = (site) => {
  if (site.schema['if'] === undefined) return undefined;
  const condition = inPlace(site.child('if'), site);
  const then = branch(site, 'then');
  const otherwise = branch(site, 'else');
  return (value, run) => (run.passes(condition, value) ? then(value, run) : otherwise(value, run));
};

function branch(site: Site, keyword: string): Rule {
  return site.schema[keyword] === undefined ? () => true : inPlace(site.child(keyword), site);
}

function entering(target: Target, site: Site): Rule {
  const apply = inPlace(target.node, site);
  if (!site.scoped) return apply;
  return (value, run) => {
    run.scope.push(target.resource);
    const passed = apply(value, run);
    run.scope.pop();
    return passed;
  };
}

/** `$ref`. */
export const reference: Keyword = (site) =>
  site.schema['$ref'] === undefined ? undefined : entering(site.resolve('$ref'), site);

/** `$dynamicRef`: the outermost resource in scope that has the anchor decides. */
export const dynamicReference: Keyword = (site) => {
  if (site.schema['$dynamicRef'] === undefined || site.draft7) return undefined;
  const target = site.resolve('$dynamicRef');
  const { inScope } = target;
  if (inScope === undefined) return entering(target, site);
  return (value, run) => {
    const found = outermost(run, inScope) ?? { resource: target.resource, node: target.node };
    run.scope.push(found.resource);
    const passed = inPlace(found.node, site)(value, run);
    run.scope.pop();
    return passed;
  };
};

function outermost(run: Run, inScope: (resource: object) => Node | undefined) {
  for (const resource of run.scope) {
    const node = inScope(resource);
    if (node !== undefined) return { resource, node };
  }
  return undefined;
}

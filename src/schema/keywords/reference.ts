import { inPlace, type Keyword, type Site, type Target } from '../rule.ts';
import type { Node, Rule, Run } from '../run.ts';

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

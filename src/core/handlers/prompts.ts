import type { Catalog } from '../../catalog/catalog.ts';
import { after } from '../../catalog/eventually.ts';
import type { Completer } from '../../catalog/provider.ts';
import { echoed, excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Ask, CompletionRef } from '../../model/verbs.ts';
import { attempt } from '../attempt.ts';
import { refuseLacking } from '../sight.ts';
import type { Turn } from '../turn.ts';
import { blame } from './resources.ts';

/** The most suggestions a completion may carry, in every revision. */
const MOST_VALUES = 100;

export function getPrompt(
  catalog: Catalog,
  { name, input }: Ask<'prompts.get'>,
  turn: Turn,
): Eventually<Answer<'prompts.get'>> {
  const entry = catalog.findPrompt(name);
  if (entry === undefined) throw unknownPrompt(name);
  refuseLacking(entry, name);
  const missing = (entry.prompt.arguments ?? [])
    .filter((argument) => argument.required === true && !Object.hasOwn(input, argument.name))
    .map((argument) => argument.name);
  if (missing.length > 0) {
    const names = missing.map((argument) => `"${argument}"`).join(', ');
    throw new Fault('E_BAD_ARGUMENTS', `Missing arguments for prompt "${name}": ${names}`, { data: { name, missing } });
  }
  return attempt(() => entry.get(input, turn), blame(`Prompt "${name}" failed`));
}

export function complete(catalog: Catalog, ask: Ask<'complete'>, turn: Turn): Eventually<Answer<'complete'>> {
  const { argument, known = {} } = ask;
  const completer = findCompleter(catalog, ask.ref, argument.name);
  if (completer === undefined) return { values: [], total: 0, more: false };
  const values = attempt(
    () => completer(argument.value, known, turn),
    blame(`Completion of "${argument.name}" failed`),
  );
  return after(values, (given) => {
    if (!Array.isArray(given) || !given.every((value) => typeof value === 'string'))
      throw new Fault('E_BAD_RESULT', `Completion of "${argument.name}" gave something else than a list of strings`);
    return { values: given.slice(0, MOST_VALUES), total: given.length, more: given.length > MOST_VALUES };
  });
}

function findCompleter(catalog: Catalog, ref: CompletionRef, argument: string): Completer | undefined {
  if (ref.type === 'prompt') {
    const entry = catalog.findPrompt(ref.name);
    if (entry === undefined) throw unknownPrompt(ref.name);
    refuseLacking(entry, ref.name);
    if (!entry.prompt.arguments?.some(({ name }) => name === argument)) throw unknownArgument(argument);
    return entry.complete?.[argument];
  }
  const entry = catalog.findTemplate(ref.uri);
  if (entry === undefined) {
    if (catalog.findResource(ref.uri) !== undefined) return undefined;
    throw new Fault('E_BAD_PARAMS', `Invalid params: no resource template is "${excerpt(ref.uri)}"`, {
      data: { uri: echoed(ref.uri) },
    });
  }
  refuseLacking(entry, ref.uri);
  if (!entry.variables.includes(argument)) throw unknownArgument(argument);
  return entry.complete?.[argument];
}

function unknownArgument(name: string): Fault {
  return new Fault('E_BAD_PARAMS', `Invalid params: no argument is named "${excerpt(name)}"`, {
    data: { argument: echoed(name) },
  });
}

function unknownPrompt(name: string): Fault {
  return new Fault('E_UNKNOWN_PROMPT', `Unknown prompt: "${excerpt(name)}"`, { data: { name: echoed(name) } });
}

import type { Catalog } from '../../catalog/catalog.ts';
import { argumentAt, type Mirrored, mirroredBy } from '../../catalog/mirror.ts';
import { Fault } from '../../model/fault.ts';
import type { Eventually, Json } from '../../model/json.ts';
import type { Answer, Ask, Operation, Verb } from '../../model/verbs.ts';
import type { Policy } from '../dispatch.ts';
import type { Sight } from '../sight.ts';
import type { Turn } from '../turn.ts';

/** Refuses a call whose headers say something else than its arguments. Only calls that have headers are looked at. */
// spec 2026-07-28 basic/transports/streamable-http#server-validation
export function mirror(sight: Sight): Policy {
  return (next) =>
    <V extends Verb>(operation: Operation<V>, turn: Turn): Eventually<Answer<V>> => {
      const { beside } = turn;
      if (beside !== undefined && operation.verb === 'tools.call')
        check(sight(turn.principal), operation.ask as Ask<'tools.call'>, beside);
      return next(operation, turn);
    };
}

type Beside = NonNullable<Turn['beside']>;

function check(catalog: Catalog, { name, input }: Ask<'tools.call'>, beside: Beside): void {
  const entry = catalog.findTool(name);
  if (entry === undefined) return;
  for (const mirrored of mirroredBy(entry.tool.inputSchema)) {
    const value = argumentAt(input, mirrored.path);
    if (value !== undefined && value !== null && !agrees(value, beside(mirrored.header))) throw mismatch(mirrored);
  }
}

function agrees(value: Json, said: string | null | undefined): boolean {
  if (typeof said !== 'string') return false;
  return typeof value === 'number' ? said.trim() !== '' && Number(said) === value : String(value) === said;
}

function mismatch({ header, path }: Mirrored): Fault {
  const argument = path.join('.');
  return new Fault('E_HEADER_MISMATCH', `Header mismatch: "${header}" must repeat the argument "${argument}"`, {
    data: { header, argument },
  });
}

import type { Server } from '../../../catalog/server.ts';
import type { JsonObject } from '../../../model/json.ts';
import { type Fields, schemaOf, type Values } from './fields.ts';

export type Uncertainty = 'low' | 'medium' | 'high';

/** What one run of an action comes to, before it is put into the envelope all actions share. */
export interface Finding {
  readonly uncertainty: Uncertainty;
  readonly assumptions: readonly string[];
  readonly output: JsonObject;
}

/** One action: what clients are told of it, and what it does. */
export interface ActionParts<F extends Fields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The skill it belongs to; the schema paths of its contract carry that name. */
  readonly skill: string;
  /** Said with every answer. */
  readonly boundary: string;
  readonly input: F;
  /** The members of `output`, each with its schema; those in `optional` may be absent. */
  readonly output: Readonly<Record<string, JsonObject>>;
  readonly optional?: readonly string[];
  run(input: Values<F>): Promise<Finding>;
}

/** An action that can be put on a server. */
export interface Action {
  readonly name: string;
  readonly boundary: string;
  addTo(server: Server): void;
}

export const STRING: JsonObject = { type: 'string' };
export const STRINGS: JsonObject = { type: 'array', items: STRING };

/** Makes one handler for both protocols: as a tool it has schemas, as an action it has a contract. */
export function defineAction<const F extends Fields>(parts: ActionParts<F>): Action {
  const { name, title, description, skill, boundary } = parts;
  return {
    name,
    boundary,
    addTo(server) {
      const spec = {
        title,
        description,
        input: schemaOf(parts.input),
        output: outputSchema(parts),
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
        meta: {
          action: {
            skill,
            action: name,
            description,
            inputSchemaPath: `schemas/${skill}.input.json`,
            outputSchemaPath: `schemas/${skill}.output.json`,
            safetyBoundary: boundary,
          },
        },
      };
      server.tool(name, spec, (input) => answer(parts, input));
    },
  };
}

async function answer<F extends Fields>(
  { name, boundary, run }: ActionParts<F>,
  input: Values<F>,
): Promise<JsonObject> {
  const { uncertainty, assumptions, output } = await run(input);
  return { action: name, boundaryNotice: boundary, uncertainty, assumptions: [...assumptions], output };
}

function outputSchema({
  name,
  boundary,
  output,
  optional = [],
}: Pick<ActionParts<Fields>, 'name' | 'boundary' | 'output' | 'optional'>): JsonObject {
  return {
    type: 'object',
    properties: {
      action: { const: name },
      boundaryNotice: { const: boundary },
      uncertainty: { enum: ['low', 'medium', 'high'] },
      assumptions: STRINGS,
      output: {
        type: 'object',
        properties: { ...output },
        required: Object.keys(output).filter((member) => !optional.includes(member)),
        additionalProperties: false,
      },
    },
    required: ['action', 'boundaryNotice', 'uncertainty', 'assumptions', 'output'],
    additionalProperties: false,
  };
}

import type { Role } from '../../../model/items.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import type { QuestionAnswer, Root, SampleRequest, SamplingMessage } from '../../../model/peer.ts';
import type { QuestionRow } from '../revision.ts';
import { maybeText, pick, readObject, readObjects, readText, wrong } from './read.ts';
import { toolTalkTrouble } from './tool-talk.ts';

type Action = QuestionAnswer<'elicitUrl'>['action'];

export interface FormWords {
  /** Whether the request says that it is a form. */
  mode: boolean;
  /** Whether the user may choose several values. */
  multiSelect: boolean;
}

export function elicitForm(says: FormWords): QuestionRow<'elicit'> {
  return {
    kind: 'elicit',
    method: 'elicitation/create',
    says: { ...says },
    needs: () => ({ elicitation: {} }),
    unsayable: ({ schema }) =>
      !says.multiSelect && hasArrays(schema) ? 'this revision has no multiple choice' : undefined,
    ask: {
      read: (wire) => ({ message: readText(wire, 'message'), schema: readObject(wire, 'requestedSchema') }),
      write: ({ message, schema }) => ({ ...(says.mode ? { mode: 'form' } : {}), message, requestedSchema: schema }),
    },
    answer: {
      read(wire) {
        const action = readAction(wire);
        if (action !== 'accept') return { action };
        return { action, content: readObject(wire, 'content') as NonNullable<QuestionAnswer<'elicit'>['content']> };
      },
      write: ({ action, content }) => ({ action, ...(content === undefined ? {} : { content }) }),
    },
  };
}

/** Sends the user to a URL; `id` says whether the request carries an id for a later notification. */
export function elicitUrl(says: { id: boolean }): QuestionRow<'elicitUrl'> {
  return {
    kind: 'elicitUrl',
    method: 'elicitation/create',
    says,
    needs: () => ({ elicitation: { url: {} } }),
    ask: {
      read: (wire) => ({
        message: readText(wire, 'message'),
        url: readText(wire, 'url'),
        elicitation: maybeText(wire, 'elicitationId').elicitationId ?? '',
      }),
      write: ({ message, url, elicitation }) => ({
        mode: 'url',
        message,
        url,
        ...(says.id ? { elicitationId: elicitation } : {}),
      }),
    },
    answer: { read: (wire) => ({ action: readAction(wire) }), write: ({ action }) => ({ action }) },
  };
}

export interface SampleWords {
  /** Content a message may hold. */
  content: string[];
  /** Whether tools may be offered and several blocks be sent at once. */
  tools: boolean;
}

const SAMPLE_FIELDS = [
  'messages',
  'modelPreferences',
  'systemPrompt',
  'includeContext',
  'temperature',
  'maxTokens',
  'stopSequences',
  'metadata',
  'tools',
  'toolChoice',
];

export function createMessage(says: SampleWords): QuestionRow<'sample'> {
  return {
    kind: 'sample',
    method: 'sampling/createMessage',
    says: { ...says },
    needs: ({ tools, toolChoice }) => ({
      sampling: tools === undefined && toolChoice === undefined ? {} : { tools: {} },
    }),
    unsayable: (ask) => unsayableSample(ask, says),
    ask: {
      read(wire) {
        if (!Number.isInteger(wire['maxTokens'])) throw wrong('maxTokens', 'an integer');
        readObjects(wire, 'messages');
        return pick(wire, SAMPLE_FIELDS) as unknown as SampleRequest;
      },
      write: (ask) => pick(ask, SAMPLE_FIELDS),
    },
    answer: {
      read(wire) {
        const { content } = wire;
        if (!isObject(content) && !Array.isArray(content))
          throw wrong('content', 'a content block or an array of them');
        return {
          role: readText(wire, 'role') as Role,
          content: content as unknown as SamplingMessage['content'],
          model: readText(wire, 'model'),
          ...maybeText(wire, 'stopReason'),
        };
      },
      write: (answer) => pick(answer, ['role', 'content', 'model', 'stopReason']),
    },
  };
}

export const listRoots: QuestionRow<'roots'> = {
  kind: 'roots',
  method: 'roots/list',
  needs: () => ({ roots: {} }),
  ask: { read: () => ({}), write: () => ({}) },
  answer: {
    read: (wire) => ({
      roots: readObjects(wire, 'roots').map((root) => {
        readText(root, 'uri');
        return root as unknown as Root;
      }),
    }),
    write: ({ roots }) => ({ roots: roots.map((root) => pick(root, ['uri', 'name', '_meta'])) }),
  },
};

function readAction(wire: JsonObject): Action {
  const { action } = wire;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw wrong('action', '"accept", "decline" or "cancel"');
  }
  return action;
}

function hasArrays({ properties }: JsonObject): boolean {
  return (
    isObject(properties) && Object.values(properties).some((field) => isObject(field) && field['type'] === 'array')
  );
}

function unsayableSample({ messages, tools, toolChoice }: SampleRequest, says: SampleWords): string | undefined {
  if (!says.tools && (tools !== undefined || toolChoice !== undefined)) return 'this revision has no tools in sampling';
  for (const { content } of messages) {
    if (Array.isArray(content) && !says.tools) return 'this revision has one content block a message';
    const blocks = Array.isArray(content) ? content : [content];
    const unknown = blocks.find((block) => !says.content.includes(block.type));
    if (unknown !== undefined) return `this revision has no ${unknown.type} content in sampling`;
  }
  return toolTalkTrouble(messages);
}

import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import type { Peer, RequestOptions } from './peer.ts';
import { isModern } from './revisions.ts';

export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

/** A method, its params and how to send them. */
export type Asking = [string, JsonObject, (RequestOptions | undefined)?];

export interface Dialogue {
  /** The whole answer in the end. */
  readonly answer: JsonObject;
  /** What was asked on the way, in order. */
  readonly asked: readonly Asked[];
}

/** Sends a request that asks before it answers, and answers its questions in turn, in whichever way the era has. */
export async function converse(
  peer: Peer,
  [method, params, options]: Asking,
  answers: readonly JsonObject[],
): Promise<Dialogue> {
  return isModern(peer.revision)
    ? converseInReplies(peer, [method, params, options], answers)
    : converseInMessages(peer, [method, params, options], answers);
}

async function converseInMessages(
  peer: Peer,
  [method, params, options]: Asking,
  answers: readonly JsonObject[],
): Promise<Dialogue> {
  const answer = peer.request(method, params, options);
  const asked: Asked[] = [];
  for (const given of answers) {
    const question = await peer.next();
    asked.push(question as unknown as Asked);
    peer.reply(question, given);
  }
  return { answer: await answer, asked };
}

async function converseInReplies(
  peer: Peer,
  [method, params, options]: Asking,
  answers: readonly JsonObject[],
): Promise<Dialogue> {
  const left = [...answers];
  const asked: Asked[] = [];
  let answer = await peer.request(method, params, options);
  while (isQuestion(answer) && left.length > 0) {
    const { inputRequests, requestState } = answer['result'] as { inputRequests: JsonObject; requestState: string };
    const inputResponses: JsonObject = {};
    for (const [key, question] of Object.entries(inputRequests)) {
      asked.push(question as unknown as Asked);
      assert.ok(left.length > 0, `nothing to answer ${key} with`);
      inputResponses[key] = left.shift() as JsonObject;
    }
    answer = await peer.request(method, { ...params, inputResponses, requestState }, options);
  }
  return { answer, asked };
}

/** Whether an answer asks for more. */
export function isQuestion({ result }: JsonObject): boolean {
  return (result as JsonObject | undefined)?.['resultType'] === 'input_required';
}

/** A tool call as a request. */
export function calling(name: string, input: JsonObject = {}): [string, JsonObject] {
  return ['tools/call', { name, arguments: input }];
}

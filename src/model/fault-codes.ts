/** What a dialect needs to know of a fault to give it a number. */
export type FaultKind =
  | 'parse'
  | 'badMessage'
  | 'unknownMethod'
  | 'badInput'
  | 'notFound'
  | 'unsupportedRevision'
  | 'missingCapability'
  | 'headerMismatch'
  | 'denied'
  | 'limited'
  | 'timeout'
  | 'internal';

/**
 * Every fault a client can see. `ofTool`: in a tool call it is the tool's failure, told to the model as a result.
 * `docs/errors.md` has a section for each; a test holds the two together.
 */
export const FAULTS = {
  E_PARSE: { kind: 'parse', ofTool: false, says: 'The bytes are not UTF-8 or not JSON' },
  E_BAD_MESSAGE: { kind: 'badMessage', ofTool: false, says: 'The JSON is not a message of this protocol' },
  E_TOO_LARGE: { kind: 'badMessage', ofTool: false, says: 'The message is longer than the limit' },
  E_TOO_DEEP: { kind: 'badMessage', ofTool: false, says: 'The message is nested deeper than the limit' },
  E_TOO_WIDE: {
    kind: 'badMessage',
    ofTool: false,
    says: 'The objects of the message have more members than the limit',
  },
  E_SLOW_BODY: { kind: 'badMessage', ofTool: false, says: 'The body of an HTTP request came slower than the limit' },
  E_BATCH: {
    kind: 'badMessage',
    ofTool: false,
    says: 'A batch where none is allowed, an empty one, or one that is too long',
  },
  E_DUPLICATE_ID: { kind: 'badMessage', ofTool: false, says: 'A request with the same id is still being answered' },
  E_NOT_INITIALIZED: { kind: 'badMessage', ofTool: false, says: 'A request came before the handshake' },
  E_ALREADY_INITIALIZED: { kind: 'badMessage', ofTool: false, says: 'A second handshake on the same connection' },
  E_UNKNOWN_SESSION: {
    kind: 'badMessage',
    ofTool: false,
    says: "The session does not exist, has ended, or is somebody else's",
  },
  E_UNKNOWN_METHOD: {
    kind: 'unknownMethod',
    ofTool: false,
    says: 'The method does not exist in this revision or is not offered',
  },
  E_BAD_PARAMS: { kind: 'badInput', ofTool: false, says: 'The parameters have the wrong shape' },
  E_BAD_CLAIM: {
    kind: 'badInput',
    ofTool: false,
    says: 'The request metadata lacks a required key or has it mistyped',
  },
  E_UNSUPPORTED_REVISION: {
    kind: 'unsupportedRevision',
    ofTool: false,
    says: 'The protocol revision is not spoken here',
  },
  E_MISSING_CAPABILITY: {
    kind: 'missingCapability',
    ofTool: false,
    says: 'The client did not declare a capability this needs',
  },
  E_HEADER_MISMATCH: {
    kind: 'headerMismatch',
    ofTool: false,
    says: 'A header and the message it describes do not agree',
  },
  E_UNKNOWN_TOOL: { kind: 'badInput', ofTool: false, says: 'No tool has this name' },
  E_UNKNOWN_PROMPT: { kind: 'badInput', ofTool: false, says: 'No prompt has this name' },
  E_UNKNOWN_RESOURCE: { kind: 'notFound', ofTool: false, says: 'No resource has this URI' },
  E_UNKNOWN_TASK: {
    kind: 'badInput',
    ofTool: false,
    says: "No task has this id, it has expired, or it is somebody else's",
  },
  E_TASK_OVER: { kind: 'badInput', ofTool: false, says: 'The task is over: nothing can be done to it any more' },
  E_TASK_SUPPORT: {
    kind: 'unknownMethod',
    ofTool: false,
    says: 'The tool must be called as a task, or cannot be called as one',
  },
  E_BAD_CURSOR: { kind: 'badInput', ofTool: false, says: 'The cursor is not one this server gave' },
  E_BAD_ARGUMENTS: { kind: 'badInput', ofTool: true, says: 'The arguments do not fit what the item declares' },
  E_BAD_STATE: {
    kind: 'badInput',
    ofTool: false,
    says: 'The request state was altered, expired, or belongs to another request',
  },
  E_CANNOT_ASK: { kind: 'denied', ofTool: true, says: 'This client cannot be asked what the tool needs to know' },
  E_UNANSWERED: { kind: 'timeout', ofTool: true, says: 'The client did not answer a question in time' },
  E_REFUSED: { kind: 'denied', ofTool: true, says: 'The client answered a question with an error' },
  E_SCOPE: { kind: 'denied', ofTool: false, says: 'The access token lacks a scope that this item needs' },
  E_BUSY: { kind: 'limited', ofTool: false, says: 'Too many requests are being answered for this peer' },
  E_RATE: { kind: 'limited', ofTool: false, says: 'Too many requests came in too short a time' },
  E_TOOL_BUSY: { kind: 'limited', ofTool: true, says: 'The tool was called too often, or by too many at once' },
  E_TOOL_CRASHED: {
    kind: 'internal',
    ofTool: true,
    says: 'The process of an isolated tool, or other item, ended before it answered',
  },
  E_TOOL_EXCEEDED: {
    kind: 'limited',
    ofTool: true,
    says: 'An isolated tool, or other item, used more memory or CPU time than its process may',
  },
  E_DEADLINE: { kind: 'timeout', ofTool: true, says: 'The work took longer than its deadline' },
  E_OUTPUT_TOO_LARGE: { kind: 'limited', ofTool: true, says: 'The result is longer than the limit' },
  E_TOOL_ERROR: { kind: 'internal', ofTool: true, says: 'The tool reported a failure in its own words' },
  E_BAD_RESULT: {
    kind: 'internal',
    ofTool: true,
    says: 'The item returned something that does not fit what it declares',
  },
  E_STORE_AWAY: {
    kind: 'limited',
    ofTool: false,
    says: 'The store that keeps sessions and tasks cannot be reached or is full; the same request may come again',
  },
  E_UNSURE: {
    kind: 'internal',
    ofTool: false,
    says: 'The store went away while it passed the message on: it may have arrived, and then its answer comes',
  },
  E_CLOSED: { kind: 'internal', ofTool: true, says: 'The server is shutting down' },
  E_INTERNAL: {
    kind: 'internal',
    ofTool: true,
    says: 'Something failed inside; the log has the details under the error id',
  },
} as const satisfies Record<string, { kind: FaultKind; ofTool: boolean; says: string }>;

export type FaultCode = keyof typeof FAULTS;

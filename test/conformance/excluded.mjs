// What the official suite checks and is not counted, each with its reason. A check is named after a colon.

/** What says nothing about a server, however it is reached. */
const NEVER = {
  'tasks-status-notifications': 'the suite skips it itself: it has no code for the stream these notifications come on',
};

const HEADERS = 'compares headers of HTTP with the body; a pipe has none';
const BRIDGE = 'checks what the bridge makes up, and not the server';

/** What is about HTTP alone. */
const ON_A_PIPE = {
  'dns-rebinding-protection': 'checks the Host and Origin headers',
  'http-header-validation': HEADERS,
  'http-custom-header-server-validation': HEADERS,
  'server-stateless:sep-2575-http-server-header-mismatch-400': HEADERS,
  'tasks-request-headers': HEADERS,
  'server-session-lifecycle': BRIDGE,
  'server-sse-multiple-streams': BRIDGE,
  'server-sse-polling': BRIDGE,
};

/** By the way the server is reached. */
export const EXCLUDED = { http: NEVER, pipe: { ...NEVER, ...ON_A_PIPE } };

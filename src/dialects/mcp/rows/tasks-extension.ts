/** Under which name tasks are negotiated where they are an extension. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

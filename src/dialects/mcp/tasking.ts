import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Notice } from '../../model/peer.ts';
import type { Deferral } from '../dialect.ts';
import { declares } from './asking.ts';
import type { Revision } from './revision.ts';
import { RELATED_TASK_KEY } from './rows/tasks.ts';
import { TASKS_EXTENSION } from './rows/tasks-extension.ts';

const EXTENSION = { extensions: { [TASKS_EXTENSION]: {} } };

/** Whether a call becomes a task; throws when its tool cannot be called this way. */
export function defersCall({ tasksBy }: Pick<Revision, 'tasksBy'>, { name, support, wished, peer }: Deferral): boolean {
  if (tasksBy === 'never') return false;
  if (tasksBy === 'client') {
    // spec 2025-11-25 basic/utilities/tasks#tool-level-negotiation
    if (wished && support === undefined) throw unfit(`tool "${name}" cannot be called as a task`);
    if (!wished && support === 'required') throw unfit(`tool "${name}" must be called as a task`);
    return wished;
  }
  if (support === undefined) return false;
  const declared = declares(peer.capabilities, EXTENSION);
  if (!declared && support === 'required') throw undeclared(EXTENSION);
  return declared;
}

/** The refusal of a request whose client did not declare what it needs. */
export function undeclared(needs: JsonObject): Fault {
  const [part = needs] = Object.values(needs) as JsonObject[];
  const said = Object.keys(part)[0] ?? Object.keys(needs)[0];
  return new Fault('E_MISSING_CAPABILITY', `Missing client capability: the client did not declare "${said}"`, {
    data: { requiredCapabilities: needs },
  });
}

/** The metadata that says which task a message belongs to. */
export function relatedTo(task: string | undefined): { _meta?: JsonObject } {
  return task === undefined ? {} : { _meta: { [RELATED_TASK_KEY]: { taskId: task } } };
}

/** The task a notice belongs to, where it belongs to one. */
export function taskOf(notice: Notice): string | undefined {
  return 'task' in notice ? notice.task : undefined;
}

function unfit(reason: string): Fault {
  return new Fault('E_TASK_SUPPORT', `Method not found: ${reason}`);
}

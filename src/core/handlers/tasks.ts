import { Fault } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { WatchFilter } from '../../model/peer.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import type { Handlers } from '../dispatch.ts';
import type { Turn } from '../turn.ts';

type TaskVerb = 'tasks.get' | 'tasks.result' | 'tasks.list' | 'tasks.cancel' | 'tasks.update';

/** Where tasks are asked for. It answers only those a task belongs to. */
export interface TaskDesk {
  get(ask: Ask<'tasks.get'>, turn: Turn): Eventually<Answer<'tasks.get'>>;
  result(ask: Ask<'tasks.result'>, turn: Turn): Eventually<Answer<'tasks.result'>>;
  list(ask: Ask<'tasks.list'>, turn: Turn): Eventually<Answer<'tasks.list'>>;
  cancel(ask: Ask<'tasks.cancel'>, turn: Turn): Eventually<Answer<'tasks.cancel'>>;
  update(ask: Ask<'tasks.update'>, turn: Turn): Eventually<Answer<'tasks.update'>>;
  /** Those of the ids that name a task of this principal. */
  known(ids: readonly string[], turn: Turn): Eventually<string[]>;
}

/** Passes what is asked about tasks on to the desk, as long as there is one. */
export function createTaskHandlers(desk: () => TaskDesk | undefined): Pick<Handlers, TaskVerb> {
  const open = ({ lacks }: Turn): TaskDesk => {
    const found = desk();
    if (found === undefined) throw new Fault('E_UNKNOWN_METHOD', 'Method not found: this server offers no tasks');
    if (lacks !== undefined) throw lacks;
    return found;
  };
  return {
    'tasks.get': (ask, turn) => open(turn).get(ask, turn),
    'tasks.result': (ask, turn) => open(turn).result(ask, turn),
    'tasks.list': (ask, turn) => open(turn).list(ask, turn),
    'tasks.cancel': (ask, turn) => open(turn).cancel(ask, turn),
    'tasks.update': (ask, turn) => open(turn).update(ask, turn),
  };
}

/** Adds the tasks that will be told of to what else of a filter is honoured. */
export async function honourTasks(
  desk: TaskDesk | undefined,
  { honoured, ids, turn }: { honoured: WatchFilter; ids: readonly string[]; turn: Turn },
): Promise<WatchFilter> {
  if (desk === undefined) return honoured;
  if (turn.lacks !== undefined) throw turn.lacks;
  const tasks = await desk.known(ids, turn);
  return tasks.length === 0 ? honoured : { ...honoured, tasks };
}

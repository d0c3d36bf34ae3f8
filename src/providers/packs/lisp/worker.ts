import { parentPort, workerData } from 'node:worker_threads';
import { budgetsWith } from './engine/meter.ts';
import { Interpreter, validate } from './interpreter.ts';
import type { Job, JobAnswer, WorkerStart } from './jobs.ts';

// The thread of one session. It owns nothing but its port; what a program can reach ends at the interpreter.

const { stop, budgets } = workerData as WorkerStart;
const flag = new Int32Array(stop);
const session = new Interpreter();

function perform(id: number, job: Job): unknown {
  const cancelled = () => Atomics.load(flag, 0) === id;
  switch (job.kind) {
    case 'evaluate':
      return session.evaluate({
        code: job.code,
        package: job.package,
        budgets: { ...budgets, ...job.limits },
        cancelled,
      });
    case 'expand':
      return session.expand({
        code: job.form,
        full: job.full,
        package: job.package,
        budgets: { ...budgets, ...job.limits },
        cancelled,
      });
    case 'reset':
      return session.reset();
    case 'definitions':
      return session.definitions();
    case 'describe':
      return session.describe(job);
    case 'apropos':
      return session.apropos(job);
    case 'validate':
      return validate(job.code, budgetsWith(budgets));
  }
}

parentPort?.on('message', ({ id, job }: { id: number; job: Job }) => {
  const answer: JobAnswer = { id, result: perform(id, job) };
  parentPort?.postMessage(answer);
});

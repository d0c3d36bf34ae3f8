import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RevisionId } from '../scenarios/revisions.ts';

/** What a revision of the specification demands of a server. */
export interface Obligation {
  readonly id: string;
  readonly level: string;
  readonly revisions: readonly RevisionId[];
  /** Which part of the server it is about. */
  readonly concern: 'stdio' | 'http' | 'auth' | 'tasks';
  readonly rule: string;
  /** Who keeps it and why, where the server has nothing to do. */
  readonly kept?: string;
}

/** The folder of the project, above wherever this was compiled to. */
export const PROJECT = findProject(dirname(fileURLToPath(import.meta.url)));

function findProject(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findProject(dirname(folder));
}

/** Every obligation of every revision. */
export function readObligations(): readonly Obligation[] {
  return JSON.parse(readFileSync(join(PROJECT, 'test', 'requirements', 'obligations.json'), 'utf8')) as Obligation[];
}

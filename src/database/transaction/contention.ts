/** What a statement met another transaction over: the next run of its transaction locks it first. */
import type { LockedUnits } from '../../sql/lock.sql.js';
import { isContention } from '../statement/sqlstate.js';

/** A table, and where they are known the units in it. */
export interface ContentionTarget {
  readonly schema: string;
  readonly table: string;
  readonly units?: LockedUnits;
}

/** By the error that told of it. */
const met = new WeakMap<Error, ContentionTarget>();

/** Runs a statement; where it fails because of another transaction, the error has what that was about. */
export async function trackContention<T>(contended: () => ContentionTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    noteContention(error, contended);
    throw error;
  }
}

/** The same for whoever handles the error anyway. */
export function noteContention(error: unknown, contended: () => ContentionTarget): void {
  if (error instanceof Error && isContention(error) && !met.has(error)) met.set(error, contended());
}

export function contentionTargetOf(error: unknown): ContentionTarget | undefined {
  return error instanceof Error ? met.get(error) : undefined;
}

/** What a run was given is not what its transaction finds: it is run again with what is there. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';

  constructor(contended?: ContentionTarget) {
    super('what the run was given has changed meanwhile');
    if (contended) met.set(this, contended);
  }
}

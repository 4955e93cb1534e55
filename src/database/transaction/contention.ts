/** Why a transaction is run again, and what it conflicted on, so that its next run can lock that first. */
import { scalarText, type Json } from '../../shared/json.js';
import type { LockedUnits } from '../../sql/lock.sql.js';
import { isContention } from '../statement/sqlstate.js';

/** A table and, if known, the units in it. */
export interface ContentionTarget {
  readonly schema: string;
  readonly table: string;
  readonly units?: LockedUnits;
}

/** Units of a kind: all, or those with these keys. @param forDelete see `LockedUnits` */
export function contentionOn(
  { schema, kind }: Pick<LockedUnits, 'schema' | 'kind'>,
  keys?: readonly unknown[],
  forDelete = false,
): ContentionTarget {
  const units = keys && { schema, kind, keys: keys.map((key) => scalarText(key as Json)), forDelete };
  return { schema, table: kind.table, ...(units && { units }) };
}

/** By the error of the failed statement. */
const targets = new WeakMap<Error, ContentionTarget>();

/** Runs `work`; if it fails with a conflict, records its target. */
export async function trackContention<T>(target: () => ContentionTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    noteContention(error, target);
    throw error;
  }
}

/** The same for code that catches the error itself. */
export function noteContention(error: unknown, target: () => ContentionTarget): void {
  if (error instanceof Error && isContention(error) && !targets.has(error)) targets.set(error, target());
}

export function contentionTargetOf(error: unknown): ContentionTarget | undefined {
  return error instanceof Error ? targets.get(error) : undefined;
}

/** The work has to be started again from the beginning by the code that began it. */
export class RestartError extends Error {}

/**
 * Data that a run received from outside the transaction is outdated: the transaction is run again with current data.
 */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';

  constructor(target?: ContentionTarget) {
    super('what the run was given has changed meanwhile');
    if (target) targets.set(this, target);
  }
}

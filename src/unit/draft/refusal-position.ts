/** Adds the position in the body to refusals of hooks. */
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';
import type { LocatedDraft } from './references.js';

/** Runs work that a hook may refuse. @throws its error, in a bulk write with the position of the unit */
export async function withPosition<T>({ index }: Pick<LocatedDraft, 'index'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (index === undefined) throw error;
    if (error instanceof FunctionError) throw relocateFunctionError(error, { index });
    throw error instanceof KindError && error.status < 500 ? atPosition(error, index) : error;
  }
}

/** The same error for a unit at another location: `way` precedes the parameter. */
export function relocateFunctionError(
  { status, code, text, parameter }: FunctionError,
  { index, path }: Omit<LocatedDraft, 'draft'>,
) {
  const inside = path === undefined || parameter === undefined ? parameter : `${path}.${parameter}`;
  return Object.assign(new FunctionError(status, code, text, inside), index === undefined ? {} : { index });
}

/** Replaces positions that a write of the hook itself had. */
function atPosition(refused: KindError, index: number): KindError {
  const [first, ...rest] = refused.messages.map((message) => ({ ...message, index }));
  return first ? refused.withMessages([first, ...rest]) : refused;
}

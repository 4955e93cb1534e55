/** What a hook refuses of a unit, told with its place in the write. */
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';
import type { LocatedDraft } from './references.js';

/** Runs what a hook may refuse. @throws what it does, of one of many units with its position in the body */
export async function withPosition<T>({ index }: Pick<LocatedDraft, 'index'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (index === undefined) throw error;
    if (error instanceof FunctionError) throw relocateFunctionError(error, { index });
    throw error instanceof KindError && error.status < 500 ? atPosition(error, index) : error;
  }
}

/** The same refusal of a unit at another place: its parameter stands inside `way`. */
export function relocateFunctionError(
  { status, code, text, parameter }: FunctionError,
  { index, way }: Omit<LocatedDraft, 'draft'>,
) {
  const inside = way === undefined || parameter === undefined ? parameter : `${way}.${parameter}`;
  return Object.assign(new FunctionError(status, code, text, inside), index === undefined ? {} : { index });
}

/** A refusal of what a hook did for a unit, whatever position it has in a list of the hook's own. */
function atPosition(refused: KindError, index: number): KindError {
  const [first, ...rest] = refused.messages.map((message) => ({ ...message, index }));
  return first ? refused.withMessages([first, ...rest]) : refused;
}

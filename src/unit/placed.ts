/** What the author of a hook refuses of a unit, told with its place in the write. */
import { FunctionError } from '../kit/function-error.js';
import type { Placed } from './references.js';

/** Runs what a hook may refuse. @throws what it does, a `FunctionError` with the position of the unit in a bulk body */
export async function placed<T>({ index }: Pick<Placed, 'index'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FunctionError && index !== undefined ? movedTo(error, { index }) : error;
  }
}

/** The same refusal of a unit at another place: its parameter stands inside `way`. */
export function movedTo({ status, code, text, parameter }: FunctionError, { index, way }: Omit<Placed, 'draft'>) {
  const inside = way === undefined || parameter === undefined ? parameter : `${way}.${parameter}`;
  return Object.assign(new FunctionError(status, code, text, inside), index === undefined ? {} : { index });
}

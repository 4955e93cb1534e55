/** Adds the position in the body to refusals of hooks. */
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';
import { ofUnit, rewordRefusal } from '../../database/transaction/complete-refusal.js';
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

/** Runs work on one of the units that a filter matches. @throws its error with the id of the unit */
export async function withUnit<T>(unit: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FunctionError) throw Object.assign(relocateFunctionError(error, {}), { unit });
    throw error instanceof KindError && error.status < 500 ? ofUnit(error, unit) : error;
  }
}

/** Runs work on several of these units. @throws its error with the ids of units in place of their positions */
export async function withUnits<T>(units: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KindError) || error.status >= 500) throw error;
    throw rewordRefusal(error, (refused) => {
      const [first, ...rest] = refused.messages.map(({ index, ...message }) => {
        const unit = index === undefined ? undefined : units[index];
        return unit === undefined ? message : { ...message, unit };
      });
      return first ? refused.withMessages([first, ...rest]) : refused;
    });
  }
}

/** Runs work whose refusals name units. @throws its error with the id that stands for that of the unit */
export async function withOtherUnit<T>(units: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const named = error instanceof KindError ? error.messages[0].unit : undefined;
    const unit = error instanceof FunctionError ? error.unit : named;
    const other = unit === undefined ? undefined : units.get(unit);
    if (other === undefined) throw error;
    return await withUnit(other, () => Promise.reject(error as Error));
  }
}

/** Runs work on some objects of a body. @throws its error with the positions that the objects have in the whole body */
export async function withPositions<T>(positions: readonly number[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atPositions(error, positions);
  }
}

function atPositions(error: unknown, positions: readonly number[]): unknown {
  if (error instanceof FunctionError && error.index !== undefined) {
    return relocateFunctionError(error, { index: positions[error.index] ?? error.index });
  }
  if (!(error instanceof KindError)) return error;
  return rewordRefusal(error, (refused) => {
    const [first, ...rest] = refused.messages.map(({ index, ...message }) => {
      return index === undefined ? message : { ...message, index: positions[index] ?? index };
    });
    return first ? refused.withMessages([first, ...rest]) : refused;
  });
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

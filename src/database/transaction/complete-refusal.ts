/**
 * PostgreSQL reports only the first fault of a write; further statements find the others. After an error the
 * transaction can run no statement, so they run after it has ended.
 */
import type { Executor } from './transaction.js';
import { ERRORS, KindError, type Message } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** Returns the refusal with all of its faults. */
type FindFaults = (executor: Executor) => Promise<KindError>;

const unfinished = new WeakMap<KindError, FindFaults>();

/**
 * The refusal with the faults that `findFaults` adds. Within a transaction the refusal is returned as it is, and
 * `withCompleteRefusal` calls `findFaults` after the transaction, in the order of registration.
 */
export function completeRefusal(
  executor: Executor,
  refused: KindError,
  findFaults: (executor: Executor, soFar: KindError) => Promise<KindError>,
): Promise<KindError> | KindError {
  if (!executor.tx) return findFaults(executor, refused);
  const before = unfinished.get(refused);
  unfinished.set(refused, async (anew) => findFaults(anew, before ? await before(anew) : refused));
  return refused;
}

/** Adds faults to a refusal, without duplicates: a fault with a position replaces the same fault without one. Bad input comes first. */
export function withFaults(refused: KindError, found: readonly Message[]): KindError {
  const keyOf = ({ code, text, index = -1 }: Message) => `${code} ${index} ${text}`;
  const places = new Set(found.flatMap((message) => [keyOf(message), keyOf({ ...message, index: -1 })]));
  const known = refused.messages.filter((message) => !places.has(keyOf(message)));
  const order = (a: Message, b: Message) =>
    ERRORS[a.code].status - ERRORS[b.code].status || (a.index ?? -1) - (b.index ?? -1);
  const all = [...known, ...found];
  const missing = all.filter(({ code }) => code === 'parameter.bad_reference');
  const [first, ...rest] = all
    .filter((message) => !missing.some((reference) => revealsReference(message, reference)))
    .sort(order)
    .slice(0, LIMITS.faults);
  return first ? refused.withMessages([first, ...rest]) : refused;
}

/** Whether a violated unique constraint would reveal that a unit exists which the caller may not refer to. */
function revealsReference({ code, parameter, index }: Message, reference: Message): boolean {
  const isOfOne = index === undefined || reference.index === undefined || index === reference.index;
  if (!isOfOne) return false;
  return code === 'unit.not_unique' || (code === 'parameter.not_unique' && parameter === reference.parameter);
}

/** Changes the messages of a refusal now, and again when it is completed later. */
export function rewordRefusal(refused: KindError, reword: (refused: KindError) => KindError): KindError {
  const reworded = reword(refused);
  const findFaults = unfinished.get(refused);
  if (findFaults) unfinished.set(reworded, async (executor) => reword(await findFaults(executor)));
  return reworded;
}

/** The refusal with the id of the unit that is the reason for it. */
export function ofUnit(refused: KindError, unit: string): KindError {
  return rewordRefusal(refused, (each) => {
    const [first, ...rest] = each.messages.map((message) => ({ ...message, unit }));
    return first ? each.withMessages([first, ...rest]) : each;
  });
}

/** Runs the work of a transaction, and completes its refusal. */
export async function withCompleteRefusal<T>(executor: Executor, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const findFaults = error instanceof KindError ? unfinished.get(error) : undefined;
    throw findFaults ? await findFaults(executor) : error;
  }
}

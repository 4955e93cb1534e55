/**
 * PostgreSQL refuses a unit for the first of its faults; a further question tells the others. A refusal that ended a
 * transaction is asked about when that is over, by whoever began it.
 */
import type { Executor } from '../../database/transaction/executor.js';
import { ERRORS, KindError, type Message } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** Answers the refusal with all of its faults. */
type FindFaults = (executor: Executor) => Promise<KindError>;

const unfinished = new WeakMap<KindError, FindFaults>();

/**
 * The refusal with all that `ask` adds to what is known so far, or inside a transaction as it is: `tellingWhole` asks then,
 * in the order in which it was to be asked.
 */
export function completeRefusal(
  executor: Executor,
  refused: KindError,
  ask: (executor: Executor, soFar: KindError) => Promise<KindError>,
): Promise<KindError> | KindError {
  if (!executor.tx) return ask(executor, refused);
  const before = unfinished.get(refused);
  unfinished.set(refused, async (anew) => ask(anew, before ? await before(anew) : refused));
  return refused;
}

/** The refusal with further faults, each told once: of one that is known without its place, the place is told. Bad input comes first. */
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

/** Whether what others have tells that a unit is there which the caller may not refer to: of one that is missing nobody has it. */
function revealsReference({ code, parameter, index }: Message, reference: Message): boolean {
  const isOfOne = index === undefined || reference.index === undefined || index === reference.index;
  if (!isOfOne) return false;
  return code === 'unit.not_unique' || (code === 'parameter.not_unique' && parameter === reference.parameter);
}

/** The same refusal in other words, now and when it is asked about. */
export function rewordRefusal(refused: KindError, tell: (refused: KindError) => KindError): KindError {
  const told = tell(refused);
  const ask = unfinished.get(refused);
  if (ask) unfinished.set(told, async (executor) => tell(await ask(executor)));
  return told;
}

/** Does the work of a transaction; what it is refused with is told whole. */
export async function withCompleteRefusal<T>(executor: Executor, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ask = error instanceof KindError ? unfinished.get(error) : undefined;
    throw ask ? await ask(executor) : error;
  }
}

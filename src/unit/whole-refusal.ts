/**
 * PostgreSQL refuses a unit for the first of its faults; a further question tells the others. A refusal that ended a
 * transaction is asked about when that is over, by whoever began it.
 */
import type { Executor } from '../database/executor.js';
import { KindError } from '../shared/errors.js';

/** Answers the refusal with all of its faults. */
type Ask = (executor: Executor) => Promise<KindError>;

const open = new WeakMap<KindError, Ask>();

/** The refusal with all that `ask` finds, or inside a transaction as it is: `wholeRefusal` asks then. */
export function askedAgain(executor: Executor, refused: KindError, ask: Ask): Promise<KindError> | KindError {
  if (!executor.tx) return ask(executor);
  open.set(refused, ask);
  return refused;
}

/** The same refusal in other words, now and when it is asked about. */
export function retold(refused: KindError, tell: (refused: KindError) => KindError): KindError {
  const told = tell(refused);
  const ask = open.get(refused);
  if (ask) open.set(told, async (executor) => tell(await ask(executor)));
  return told;
}

/** Does the work of a transaction; what it is refused with is told whole. */
export async function tellingWhole<T>(executor: Executor, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ask = error instanceof KindError ? open.get(error) : undefined;
    throw ask ? await ask(executor) : error;
  }
}

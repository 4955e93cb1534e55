/** The operation of user code that a refusal comes from, and its line. */
import { OutdatedError } from '../../database/transaction/contention.js';
import { RestartError } from '../../database/transaction/contention.js';
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';

/** A data operation of user code. */
export interface RequestedOperation {
  /** The kinds, or the group, that the operation names; the main one first. */
  readonly names: readonly string[];
  /** Whether it ran as the system, so that the text may contain what the caller must not see. */
  readonly system: boolean;
}

export interface RefusalOrigin extends RequestedOperation {
  /** The trace of the user code. */
  readonly from: { readonly stack?: string };
  /** Whether the texts are final, so that outer operations don't change them. */
  readonly isFinal: boolean;
}

const NAME_LENGTH = 80;

/** Origins by refusal. */
const origins = new WeakMap<KindError, RefusalOrigin>();

export function originOf(refused: KindError): RefusalOrigin | undefined {
  return origins.get(refused);
}

/** Marks the texts of a refusal as final. */
export function markFinal(refused: KindError, origin: RefusalOrigin): KindError {
  origins.set(refused, { ...origin, isFinal: true });
  return refused;
}

/**
 * Runs an operation for user code. Notes the origin of a refusal, and adds the trace of the user code to other errors.
 */
export function withOrigin<T>(operation: RequestedOperation, work: () => Promise<T>): Promise<T> {
  // The text of the trace is made only when it is read.
  const from: { stack?: string } = {};
  Error.captureStackTrace(from, withOrigin);
  return work().catch((error: unknown) => {
    if (error instanceof KindError) {
      // Clients may have chosen the names. Those of kinds and groups are shorter than the limit.
      const names = operation.names.map((name) => name.slice(0, NAME_LENGTH));
      if (!origins.has(error)) origins.set(error, { ...operation, names, from, isFinal: false });
    } else if (
      error instanceof Error &&
      ![FunctionError, RestartError, OutdatedError].some((type) => error instanceof type)
    ) {
      error.stack = [error.stack, ...(from.stack?.split('\n').slice(1) ?? [])].join('\n');
    }
    throw error;
  });
}

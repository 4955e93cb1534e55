import type { KindDef } from '../../model/model.js';
import { retryLater, type KindError } from '../../shared/errors.js';

/** Seconds after which the client may retry. */
const RETRY_AFTER = 10;

/** The refusal if a source fails or returns an invalid value. Only the log shows the cause. */
export function sourceUnavailable({ id }: Pick<KindDef, 'id'>, cause: unknown): KindError {
  const text = `The source of '${id}' cannot be used at present; the log of the service says why`;
  return retryLater('kind.remote_unavailable', text, RETRY_AFTER, cause);
}

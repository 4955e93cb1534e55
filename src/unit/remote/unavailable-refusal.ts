import type { KindDef } from '../../model/model.js';
import { retryLater, type KindError } from '../../shared/errors.js';

/** Seconds after which a source may be there again. */
const RETRY_AFTER = 10;

/** The refusal where a source fails, or answers what is of no use; why is for the log alone. */
export function sourceUnavailable({ id }: Pick<KindDef, 'id'>, cause: unknown): KindError {
  const text = `The source of '${id}' can not be used at present; the log of the service says why`;
  return retryLater('kind.remote_unavailable', text, RETRY_AFTER, cause);
}

import { KindError } from './errors.js';
import { LIMITS } from './limits.js';

/** The refusal of what would be larger than an answer may be. */
export function answerTooLarge(cause?: unknown): KindError {
  const most = LIMITS.answerBytes.toLocaleString('en');
  const text = `The answer would be larger than ${most} bytes; ask for less: a smaller limit, or fewer fields with include`;
  return new KindError([{ code: 'answer.too_large', text }], undefined, cause === undefined ? undefined : { cause });
}

import { refusal, type KindError } from '../shared/errors.js';

/** The one refusal of every way to sign in, whatever was wrong. */
export function signInFailed(): KindError {
  return refusal('signin.failed', 'No member has that name and password, or the code is wrong');
}

import { refusal, type KindError } from '../shared/errors.js';

/** The one refusal of every way to sign in, whatever was wrong. */
export function signInFailed(): KindError {
  return refusal('signin.failed', 'No member has that name and password, or the code is wrong');
}

/** What is not the right proof, of a member that has proved who it is in another way. */
export function wrongProof(): KindError {
  return refusal('proof.wrong', 'The code, the password or the answer is wrong, too old, or was used before');
}

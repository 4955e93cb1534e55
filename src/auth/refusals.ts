import { refusal, type KindError } from '../shared/errors.js';

/** What was given, by the way to sign in. Which part of it is wrong, and why, is not told. */
const WRONG = {
  password: 'No member has that name and password, or the code is wrong',
  mail_code: 'No member has that e-mail address and code, or a code is wrong, too old or was used before',
  passkey: 'No member has that passkey, its answer is wrong, or the challenge is too old or was used before',
  provider:
    'The code, its code_verifier or the code of the second step is wrong, too old or was used before, the sign-in is not possible any more, or the bearer is not that of the session that asked for a link',
  email_token: 'The token is wrong, too old or was used before, or the password is not that of its member',
};

/** The one refusal of a way to sign in, whatever was wrong. */
export function signInFailed(way: keyof typeof WRONG): KindError {
  return refusal('signin.failed', WRONG[way]);
}

/** What is not the right proof, of a member that has proved who it is in another way. */
export function wrongProof(): KindError {
  return refusal('proof.wrong', 'The code, the password or the answer is wrong, too old, or was used before');
}

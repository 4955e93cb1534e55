/**
 * Marks errors after which it is unknown whether a write was stored, because the connection broke before the answer.
 */

const errorsWithoutAnswer = new WeakSet<Error>();

/**
 * Marks the error of a storing statement such as COMMIT, unless PostgreSQL answered (then nothing was stored) or the
 * statement was never sent. Class 08 are errors of a pooler's own connection, 57P02 a crash.
 */
export function noteLostAnswer(error: unknown): void {
  if (!(error instanceof Error)) return;
  const { severity, code = '' } = error as Error & { readonly severity?: string; readonly code?: string };
  const answered = severity !== undefined && !code.startsWith('08') && code !== '57P02';
  if (!answered && !error.message.includes('not queryable')) errorsWithoutAnswer.add(error);
}

/** Whether the failed statement may have been stored. */
export function isAnswerLost(error: unknown): boolean {
  return error instanceof Error && errorsWithoutAnswer.has(error);
}

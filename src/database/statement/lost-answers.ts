/** Answers that never came: whether what was sent before the connection broke was stored is not known then. */

const lost = new WeakSet<Error>();

/**
 * Notes what a statement was ended with that stores what it is about, such as COMMIT. What PostgreSQL answers says that
 * it is undone, and what was not sent is not stored. (08: a pooler tells of its own connection. 57P02: a crash.)
 */
export function noteLostAnswer(error: unknown): void {
  if (!(error instanceof Error)) return;
  const { severity, code = '' } = error as Error & { readonly severity?: string; readonly code?: string };
  const answered = severity !== undefined && !code.startsWith('08') && code !== '57P02';
  if (!answered && !error.message.includes('not queryable')) lost.add(error);
}

/** Whether what the error is of may have been stored. */
export function isAnswerLost(error: unknown): boolean {
  return error instanceof Error && lost.has(error);
}

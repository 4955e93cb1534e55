/** Ends a transaction with COMMIT. */
import { noteLostAnswer } from '../statement/lost-answers.js';
import type { TransactionState } from './open-transaction.js';

/** @param send sends one message, with several statements */
export async function commit(
  send: (text: string) => Promise<unknown>,
  { beforeCommit, witnesses }: Pick<TransactionState, 'beforeCommit' | 'witnesses'>,
): Promise<void> {
  for (const [witness, written] of witnesses) witness.before(written);
  try {
    const ended = await sendLast(send, [...beforeCommit, 'COMMIT'].join('; '));
    const { command } = (Array.isArray(ended) ? ended.at(-1) : ended) as { command: string };
    // PostgreSQL answers ROLLBACK if a statement had failed and the error was ignored.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
  } catch (error) {
    for (const [witness, written] of witnesses) witness.failed(written, error);
    throw error;
  }
}

async function sendLast(send: (text: string) => Promise<unknown>, text: string): Promise<unknown> {
  try {
    return await send(text);
  } catch (error) {
    noteLostAnswer(error);
    throw error;
  }
}

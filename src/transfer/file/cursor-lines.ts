/** Sends the lines of a cursor, no faster than they are taken, so that their memory does not depend on their number. */
import type { TextSink, Transaction } from '../../database/database.js';
import { nextLinesStatement, PLAN_FOR_ALL_ROWS } from '../../sql/list/export.sql.js';
import type { Statement } from '../../sql/fragment.js';

/** Lines of the first fetch, and the characters that later ones aim at. */
const FIRST_LINES = 100;
const FETCHED_CHARACTERS = 2 * 1024 * 1024;
const MOST_LINES = 20_000;

export interface LineSink extends TextSink {
  /** Whether only the first lines are needed, to know that an export is possible. */
  readonly headOnly?: boolean;
  /** Resolves when there is room for more lines. @throws Error if nobody wants them */
  ready(): Promise<void>;
}

/**
 * Opens the cursor and sends its lines: as many at once as have the wanted number of characters, by the length of those
 * before. Returns their number. @param onFetched called after each fetch but the last; it may throw
 */
export async function sendLines(
  tx: Transaction,
  open: Statement,
  sink: LineSink,
  onFetched: () => void = () => undefined,
): Promise<number> {
  await tx.run(PLAN_FOR_ALL_ROWS);
  await tx.run(open);
  let count = 0;
  for (let most = FIRST_LINES; ;) {
    let characters = 0;
    const lines = await tx.stream(nextLinesStatement(most), {
      add(text) {
        characters += text.length;
        return sink.add(text);
      },
    });
    count += lines;
    if (lines < most || sink.headOnly) return count;
    onFetched();
    await sink.ready();
    const fitting = Math.floor((FETCHED_CHARACTERS * lines) / Math.max(1, characters));
    most = Math.max(1, Math.min(fitting, most * 4, MOST_LINES));
  }
}

/** Runs a write with what comes before its transaction, if it is not a part of a larger one. */
import type { ReceivedBody } from '../../http/body/read-body.js';
import type { Ahead, Session } from './session.js';

interface Work<T> {
  readonly ahead?: Ahead;
  readonly run: (session: Session, body: ReceivedBody) => Promise<T>;
}

export function runAlone<T>(work: Work<T>, session: Session, body: ReceivedBody): Promise<T> {
  return withAhead(work, session, body, (given) => work.run(session, given));
}

/** @param work gets the body as it is then, and begins the transaction */
export async function withAhead<T>(
  { ahead }: Pick<Work<T>, 'ahead'>,
  session: Session,
  body: ReceivedBody,
  work: (body: ReceivedBody) => Promise<T>,
): Promise<T> {
  if (!ahead || session.executor.tx) return work(body);
  const ends: (() => void)[] = [];
  const onEnd = (end: () => void): void => void ends.push(end);
  try {
    return await work(await ahead(session, body, { hasEnded: false, onEnd }));
  } finally {
    for (const end of ends) end();
  }
}

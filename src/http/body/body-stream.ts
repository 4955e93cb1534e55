/** A body as it arrives, for what is stored and not kept in memory. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { bodyTooLarge, sendContinue } from './read-body.js';

/**
 * The bytes of a body, no faster than they are taken. The client has time for it as for other bodies; what the one who takes
 * them needs does not count.
 * @param most bytes of all of it @throws KindError 400 if the body is cut off, or takes too long; 413 if there are more
 */
export async function* bodyStream(request: IncomingMessage, most: number): AsyncGenerator<Buffer, void, undefined> {
  sendContinue(request);
  let waited = 0;
  let arrived = 0;
  for (;;) {
    const chunk = request.read() as Buffer | null;
    if (chunk !== null) {
      arrived += chunk.length;
      if (arrived > most) throw bodyTooLarge(most);
      yield chunk;
      continue;
    }
    if (request.readableEnded) return;
    if (request.destroyed) throw refusal('body.malformed', 'The body could not be read to its end');
    const left = LIMITS.bodySeconds * 1000 + (arrived / LIMITS.bodyBytesPerSecond) * 1000 - waited;
    if (left <= 0) throw refusal('body.timeout', 'The body took too long to arrive');
    const start = performance.now();
    await readable(request, left);
    waited += performance.now() - start;
  }
}

/** Resolves when there is something to read, or nothing more comes, or the time is over. */
async function readable(request: IncomingMessage, milliseconds: number): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  const timer = setTimeout(() => settled.abort(), Math.ceil(milliseconds));
  try {
    await Promise.race(['readable', 'end', 'close', 'error'].map((event) => once(request, event, { signal })));
  } catch {
    // What has happened is seen at the next read.
  } finally {
    clearTimeout(timer);
    settled.abort();
  }
}

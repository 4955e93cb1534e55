/** One stream of events (`text/event-stream`), and how fast its reader reads. */
import type { HttpResponse } from '../../http/request/request.js';
import { unreadAnswers } from '../../http/server/unread-answers.js';
import type { KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Caller } from '../../tenancy/caller.js';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // Otherwise nginx would keep the events until it has a whole buffer of them.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** Milliseconds after which a reader comes back: a random time between them, so that not all do it at once. */
const [RETRY_FROM, RETRY_TO] = [1000, 10_000];
/** Milliseconds between two looks at what the reader has taken. */
const LOOK_EVERY = 5000;
/** Looks between two comments, 15 seconds, so that nothing on the way takes the connection for dead. */
const LOOKS_OF_COMMENT = 3;

export class LiveStream {
  #response: HttpResponse | undefined;
  #looking: NodeJS.Timeout | undefined;
  #looks = 0;
  #behind = false;
  /** What the operating system has not taken of what was passed to it, and since when it is as much. */
  #stuck = { left: 0, since: 0 };
  #ended = false;
  /** Called when its reader, which had much unread, has read all. */
  onReadOn: () => void = () => undefined;

  /**
   * @param caller who reads, with the rights of now
   * @param owner on whose account it keeps bytes that are not read
   */
  constructor(
    public caller: Caller,
    private readonly owner: string,
  ) {}

  /** Whether so much is unsent that nothing more is sent. */
  get isBehind(): boolean {
    return this.#behind;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  begin(response: HttpResponse): void {
    this.#response = response;
    response.writeHead(200, HEADERS);
    response.write(`retry: ${Math.round(RETRY_FROM + Math.random() * (RETRY_TO - RETRY_FROM))}\n\n`);
    this.#looking = setInterval(() => this.#look(response), LOOK_EVERY);
    response.once('close', () => this.#close());
  }

  /** Says that the stream is there from time to time, or ends it where its reader has taken nothing for long. */
  #look(response: HttpResponse): void {
    this.#looks += 1;
    const left = unsentBytes(response);
    if (left === 0 || left !== this.#stuck.left) this.#stuck = { left, since: performance.now() };
    else if (performance.now() - this.#stuck.since >= LIMITS.unreadSeconds * 1000) response.destroy();
    if (this.#looks % LOOKS_OF_COMMENT === 0 && response.writableLength === 0) response.write(':\n\n');
  }

  /** @param data JSON on one line */
  send(event: string, data: string): void {
    const response = this.#response;
    if (!response || this.#ended || this.#behind) return;
    response.write(`event: ${event}\ndata: ${data}\n\n`);
    if (response.writableLength > LIMITS.liveUnsent) this.#waitFor(response);
  }

  #waitFor(response: HttpResponse): void {
    this.#behind = true;
    const release = unreadAnswers.hold(response, this.owner);
    response.once('drain', () => {
      release();
      this.#behind = false;
      this.onReadOn();
    });
  }

  /** @param as the query that is refused, if it is one */
  end({ messages: [{ code, text }] }: KindError, as?: string): void {
    const response = this.#response;
    if (!response || this.#ended) return;
    response.end(`event: end\ndata: ${JSON.stringify({ ...(as !== undefined && { as }), code, text })}\n\n`);
    this.#close();
  }

  #close(): void {
    this.#ended = true;
    clearInterval(this.#looking);
  }
}

/**
 * Bytes that were passed to the operating system and that it has not taken. The time-out of a socket in Node counts from
 * anew once, when it finds that a part was taken.
 */
function unsentBytes({ socket }: HttpResponse): number {
  return (socket as { readonly _handle?: { readonly writeQueueSize: number } } | null)?._handle?.writeQueueSize ?? 0;
}

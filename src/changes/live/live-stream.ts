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
/** Milliseconds between two comments, so that nothing on the way takes the connection for dead. */
const COMMENT_EVERY = 15_000;

export class LiveStream {
  #response: HttpResponse | undefined;
  #comments: NodeJS.Timeout | undefined;
  #behind = false;
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
    // Node destroys a connection on which nothing was sent for that long.
    response.socket?.setTimeout(LIMITS.unreadSeconds * 1000);
    this.#comments = setInterval(() => {
      if (!this.#behind) response.write(':\n\n');
    }, COMMENT_EVERY);
    response.once('close', () => this.#close());
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
    clearInterval(this.#comments);
  }
}

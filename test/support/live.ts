/** A reader of live lists: two parsers of others read the stream, and the lists are kept as docs/changes.md says. */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { getLines, getMessages } from '@microsoft/fetch-event-source/lib/cjs/parse.js';
import { isDeepStrictEqual } from 'node:util';
import { createParser } from 'eventsource-parser';
import { atEnd } from './at-end.js';
import type { TestProject } from './service.js';

interface Unit {
  readonly id: string;
  readonly [parameter: string]: unknown;
}

export interface LiveEvent {
  readonly event: string;
  readonly as: string;
  readonly count?: number;
  readonly items?: readonly Unit[];
  readonly versions?: readonly number[];
  readonly unit?: Unit;
  readonly id?: string;
  readonly version?: number;
  readonly code?: string;
  readonly text?: string;
}

interface SentEvent {
  readonly event: string;
  readonly data: string;
}

export class LiveReader {
  readonly events: LiveEvent[] = [];
  /** The units of each list, by id. */
  readonly lists = new Map<string, Map<string, Unit>>();
  readonly comments: string[] = [];
  retry: number | undefined;
  ended = false;
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    const [read, readByOther]: [SentEvent[], SentEvent[]] = [[], []];
    const parser = createParser({
      onEvent: ({ event = '', data }) => read.push({ event, data }),
      onRetry: (retry) => (this.retry = retry),
      onComment: (comment) => this.comments.push(comment),
      onError: (error) => {
        throw error;
      },
    });
    const nothing = (): void => undefined;
    const other = getLines(
      getMessages(nothing, nothing, ({ event, data }) => void (data === '' || readByOther.push({ event, data }))),
    );
    const decoder = new TextDecoder();
    response.on('data', (chunk: Buffer) => {
      parser.feed(decoder.decode(chunk, { stream: true }));
      other(chunk);
      const events = read.splice(0);
      if (!isDeepStrictEqual(events, readByOther.splice(0))) throw new Error('two parsers read different events');
      for (const { event, data } of events) this.#take({ event, ...(JSON.parse(data) as Omit<LiveEvent, 'event'>) });
    });
    response.once('close', () => {
      this.ended = true;
      this.#wake();
    });
    response.on('error', () => undefined);
  }

  #take(event: LiveEvent): void {
    this.events.push(event);
    if (event.event === 'page') this.lists.set(event.as, new Map(event.items?.map((unit) => [unit.id, unit])));
    const list = this.lists.get(event.as);
    if (event.unit) list?.set(event.unit.id, event.unit);
    if (event.id !== undefined) list?.delete(event.id);
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when something holds, which is asked after each event. */
  async until(holds: () => boolean, milliseconds = 10_000): Promise<void> {
    const last = performance.now() + milliseconds;
    while (!holds()) {
      if (performance.now() > last)
        throw new Error(`not in time; the last events: ${JSON.stringify(this.events.slice(-5))}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, 200);
        this.#waiting.add(wake);
      });
    }
  }

  /** The first event from there on that fits. */
  async next(event: string, from = 0): Promise<LiveEvent> {
    const find = (): LiveEvent | undefined => this.events.slice(from).find((each) => each.event === event);
    await this.until(() => find() !== undefined);
    return find() as LiveEvent;
  }

  ids(as: string): string[] {
    return [...(this.lists.get(as)?.keys() ?? [])].sort();
  }

  close(): void {
    this.request.destroy();
  }
}

/** Follows lists, each by its path below `/api/lib`. @throws Error with the answer that refuses it */
export async function openLive(
  url: string,
  headers: Readonly<Record<string, string>>,
  lists: Readonly<Record<string, string>>,
): Promise<LiveReader> {
  const queries = Object.entries(lists).map(([as, path]) => ({ as, path }));
  const response = await new Promise<[ClientRequest, IncomingMessage]>((resolve, reject) => {
    const sent = (url.startsWith('https:') ? secureRequest : request)(new URL(`${url}/api/lib/live`), {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.once('response', (answer) => resolve([sent, answer])).once('error', reject);
    sent.end(JSON.stringify({ queries }));
  });
  if (response[1].statusCode !== 200) throw new Error(Buffer.concat(await response[1].toArray()).toString());
  const reader = new LiveReader(...response);
  response[0].on('error', () => undefined);
  return reader;
}

/** The same for a caller, until the test ends. */
export async function follow(project: TestProject, lists: Readonly<Record<string, string>>): Promise<LiveReader> {
  const headers = {
    'kind-project-key': project.id,
    ...(project.token !== undefined && { authorization: `Bearer ${project.token}` }),
  };
  const reader = await openLive(project.service.url, headers, lists);
  atEnd(() => reader.close());
  return reader;
}

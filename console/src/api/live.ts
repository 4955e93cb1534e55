/** A stream of live lists (docs/changes.md#live-lists). What it cannot do is told to nobody: pages work without it. */
import { EventParser, type StreamEvent } from './event-parser.js';
import { ApiError } from './errors.js';
import { session } from './session.js';

/** What a stream tells of a list. */
export interface LiveNews {
  readonly path: string;
  /** All units of the list, or one that was put in or taken out. */
  readonly type: 'page' | 'put' | 'out';
  readonly units: readonly LiveUnit[];
}

export interface LiveUnit {
  readonly id: string;
  /** Microseconds. */
  readonly version: number;
}

/** What is to be done after a stream. */
export interface LiveEnd {
  /** Milliseconds until it may be opened again; Infinity if it would be refused. */
  readonly after: number;
  /** The list that was refused. */
  readonly refused?: string;
}

/** The most lists of one stream. */
export const MOST_LISTS = 20;
/** The service says that it is there every 15 seconds. */
const SILENCE_MS = 40_000;
/** The token has expired by then, also if the clock of the service is a little behind its timer. */
const SOON_MS = 1000;
/** Before a stream has said it. */
const RETRY_MS = 5000;
/** Ends after which another process, or the same, serves the lists as before. */
const PASSING: ReadonlySet<string> = new Set(['server.stopping', 'stream.old']);

interface Told {
  readonly as: string;
  readonly id: string;
  readonly version: number;
  readonly unit?: { readonly id: string };
  readonly items?: readonly { readonly id: string }[];
  readonly versions?: readonly number[];
}

/** Follows lists, of which at least the ids are asked for, until the stream ends or the signal ends it. */
export async function followLists(
  paths: readonly string[],
  onNews: (news: LiveNews) => void,
  signal: AbortSignal,
): Promise<LiveEnd> {
  const parser = new EventParser();
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort);
  let silence = setTimeout(onAbort, SILENCE_MS);
  try {
    const queries = paths.map((path, at) => ({ as: nameOf(at), path }));
    const call = { method: 'POST', path: ['live'], body: { queries }, signal: stop.signal } as const;
    const reader = (await session.follow(call)).body?.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      clearTimeout(silence);
      silence = setTimeout(onAbort, SILENCE_MS);
      for (const event of parser.feed(decoder.decode(part.value, { stream: true }))) {
        if (event.event === 'end') return endOf(event, paths, parser.retry);
        onNews(newsOf(event, paths));
      }
    }
  } catch (error) {
    if (error instanceof ApiError) return refusedBy(error, paths);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
  return { after: parser.retry ?? RETRY_MS };
}

function nameOf(at: number): string {
  return `list_${at}`;
}

function pathOf(as: string, paths: readonly string[]): string | undefined {
  return paths.find((_, at) => nameOf(at) === as);
}

function newsOf({ event, data }: StreamEvent, paths: readonly string[]): LiveNews {
  const { as, id, version, unit, items, versions } = JSON.parse(data) as Told;
  const path = pathOf(as, paths) ?? '';
  if (event === 'page') {
    const units = (items ?? []).map((each, at) => ({ id: each.id, version: versions?.[at] ?? 0 }));
    return { path, type: 'page', units };
  }
  return { path, type: unit ? 'put' : 'out', units: [{ id: unit?.id ?? id, version }] };
}

function endOf({ data }: StreamEvent, paths: readonly string[], retry = RETRY_MS): LiveEnd {
  const { as, code } = JSON.parse(data) as { readonly as?: string; readonly code: string };
  const refused = as === undefined ? undefined : pathOf(as, paths);
  if (refused !== undefined) return { after: retry, refused };
  // The session gets another token for the next stream.
  if (code === 'token.expired') return { after: SOON_MS };
  return { after: PASSING.has(code) ? retry : Infinity };
}

function refusedBy({ status, messages }: ApiError, paths: readonly string[]): LiveEnd {
  if (status === 429 || status >= 500) return { after: RETRY_MS };
  const refused = paths[messages[0]?.operation ?? -1];
  return refused === undefined ? { after: Infinity } : { after: 0, refused };
}

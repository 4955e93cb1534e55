/** A stream of live lists (docs/changes.md#live-lists). What it cannot do is told to nobody: pages work without it. */
import { eventsOf, PASSING, type StreamEvent } from '../../../packages/client/events.js';
import type { Sent } from '../../../packages/client/connection.js';
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
/** The token has expired by then, also if the clock of the service is a little behind its timer. */
const SOON_MS = 1000;
/** Before a stream has said it. */
const RETRY_MS = 5000;

interface Told {
  /** The end of a stream has one where a list is refused, and a code. */
  readonly as?: string;
  readonly code: string;
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
  const queries = paths.map((path, at) => ({ as: nameOf(at), path }));
  const connection = { send: (sent: Sent) => session.follow(sent) };
  let after = RETRY_MS;
  try {
    for await (const event of eventsOf<Told>(connection, queries, signal)) {
      if (event.wait !== undefined) after = event.wait;
      if (event.event === 'end') return endOf(event.data, paths, after);
      if (event.event !== '') onNews(newsOf(event, paths));
    }
  } catch (error) {
    if (error instanceof ApiError && error.status !== 0) return refusedBy(error, paths);
  }
  return { after };
}

function nameOf(at: number): string {
  return `list_${at}`;
}

function pathOf(as: string | undefined, paths: readonly string[]): string | undefined {
  return paths.find((_, at) => nameOf(at) === as);
}

function newsOf({ event, data }: StreamEvent<Told>, paths: readonly string[]): LiveNews {
  const { as, id, version, unit, items, versions } = data;
  const path = pathOf(as, paths) ?? '';
  if (event === 'page') {
    const units = (items ?? []).map((each, at) => ({ id: each.id, version: versions?.[at] ?? 0 }));
    return { path, type: 'page', units };
  }
  return { path, type: unit ? 'put' : 'out', units: [{ id: unit?.id ?? id, version }] };
}

function endOf({ as, code }: Told, paths: readonly string[], retry: number): LiveEnd {
  const refused = pathOf(as, paths);
  if (refused !== undefined) return { after: retry, refused };
  // The session gets another token for the next stream.
  if (code === 'token.expired') return { after: SOON_MS };
  return { after: PASSING.includes(code) ? retry : Infinity };
}

function refusedBy({ status, messages }: ApiError, paths: readonly string[]): LiveEnd {
  if (status === 429 || status >= 500) return { after: RETRY_MS };
  const refused = paths[messages[0]?.operation ?? -1];
  return refused === undefined ? { after: Infinity } : { after: 0, refused };
}

/** The answers that handlers return, and their JSON envelope. */

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** An answer with status 200. `content` is JSON text, from PostgreSQL or `jsonAnswer`. */
export class Answer {
  constructor(
    readonly content: string,
    /** The ETag, including its quotes. */
    readonly etag?: string,
    /** Further headers. */
    readonly headers?: Readonly<Record<string, string>>,
    /** What a change of definitions does, as JSON text; beside the content. */
    readonly changes?: string,
  ) {}
}

/** An answer from a value. */
export function jsonAnswer(content: unknown): Answer {
  return new Answer(JSON.stringify(content ?? null));
}

/** A page of a list. `items` is JSON text; `next` is there with keyset pagination, null on the last page. */
export function pageAnswer({ count, items, next }: { count: number; items: string; next?: string | null }): Answer {
  const cursor = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return new Answer(`{"count":${count},"items":${items}${cursor}}`);
}

export const NULL_ANSWER = new Answer('null');

/** Puts JSON text into the envelope. */
export function envelope(content: string, changes?: string): string {
  const more = changes === undefined ? '' : `,"changes":${changes}`;
  return `{"content":${content},"messages":[]${more}}`;
}

export function errorEnvelope(messages: readonly object[]): string {
  return JSON.stringify({ content: null, messages });
}

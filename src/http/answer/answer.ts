/** What a handler returns: the bytes of an envelope, ready to be written. */

/** An HTTP answer. `content` is JSON text already: PostgreSQL built it, or `answerOf` did. */
export class Answer {
  constructor(
    readonly content: string,
    /** The ETag, with its quotes. */
    readonly etag?: string,
  ) {}
}

/** An answer of a value that is not JSON text yet. */
export function jsonAnswer(content: unknown): Answer {
  return new Answer(JSON.stringify(content ?? null));
}

/** A page of a list. `items` is JSON text; `next` is there with keyset pagination, null on the last page. */
export function pageAnswer({ count, items, next }: { count: number; items: string; next?: string | null }): Answer {
  const cursor = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return new Answer(`{"count":${count},"items":${items}${cursor}}`);
}

export const NULL_ANSWER = new Answer('null');

/** The envelope around a content that is JSON text. */
export function envelope(content: string): string {
  return `{"content":${content},"messages":[]}`;
}

export function errorEnvelope(messages: readonly object[]): string {
  return JSON.stringify({ content: null, messages });
}

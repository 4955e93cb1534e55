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

export const NULL_ANSWER = new Answer('null');

/** The envelope around a content that is JSON text. */
export function envelope(content: string): string {
  return `{"content":${content},"messages":[]}`;
}

export function errorEnvelope(messages: readonly object[]): string {
  return JSON.stringify({ content: null, messages });
}

/** The answers that handlers return, and their JSON envelope. */
import type { HttpResponse } from '../request/request.js';
import { jsonText } from '../../shared/large-json.js';
import { runYielding, type Pauses } from '../../shared/work-in-pieces.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Characters of a text that are handled at once. A longer one is made and sent in pieces. */
export const PIECE_CHARACTERS = 64 * 1024;

/** An answer with status 200. */
export class Answer {
  constructor(
    /** JSON text, from PostgreSQL or `jsonAnswer`; of a large answer the pieces of it, which are never joined to be sent. */
    readonly text: string | readonly string[],
    /** The ETag, including its quotes. */
    readonly etag?: string,
    /** Further headers. */
    readonly headers?: Readonly<Record<string, string>>,
    /** What a change of definitions does, as JSON text; beside the content. */
    readonly changes?: string,
  ) {}

  get content(): string {
    return typeof this.text === 'string' ? this.text : this.text.join('');
  }
}

/** An answer that is no JSON in an envelope: bytes of a content type, with any status. It is neither compressed nor kept. */
export class RawAnswer extends Answer {
  constructor(
    readonly status: number,
    /** The content type; undefined for an answer without a body. */
    readonly type: string | undefined,
    readonly bytes: Uint8Array,
    etag?: string,
  ) {
    super('', etag);
  }
}

/** An answer that is written bit by bit, for as long as it takes. It is neither compressed nor kept. */
export abstract class StreamAnswer extends Answer {
  constructor() {
    super('');
  }

  abstract start(response: HttpResponse): void;
}

/** An answer from a value. */
export function jsonAnswer(content: unknown): Answer {
  return new Answer(JSON.stringify(content ?? null));
}

/** A page of a list. `items` is JSON text; `next` is there with keyset pagination, null on the last page. */
export function pageAnswer({ count, items, next }: { count: number; items: string; next?: string | null }): Answer {
  const cursor = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return inPieces([`{"count":${count},"items":`, items, `${cursor}}`]);
}

/** An answer from pieces of its JSON text. */
export function inPieces(parts: readonly string[]): Answer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return new Answer(length > PIECE_CHARACTERS ? parts : parts.join(''));
}

export const NULL_ANSWER = new Answer('null');

/** Puts JSON text into the envelope. */
export function envelope(content: string, changes?: string): string {
  return `${ENVELOPE}${content}${envelopeEnd(changes)}`;
}

export const ENVELOPE = '{"content":';

export const ENVELOPE_END = ',"messages":[]}';

export function envelopeEnd(changes: string | undefined): string {
  return changes === undefined ? ENVELOPE_END : `,"messages":[],"changes":${changes}}`;
}

export function errorEnvelope(messages: readonly object[]): string {
  return JSON.stringify({ content: null, messages });
}

/** The answer from a value that may be large: its text is made with pauses for other requests. */
export async function jsonAnswerInPieces(content: object, pauses: Pauses): Promise<Answer> {
  return new Answer(await runYielding(jsonText(content), pauses));
}

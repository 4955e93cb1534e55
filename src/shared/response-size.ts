import { KindError } from './errors.js';
import { LIMITS } from './limits.js';

/** The error for an answer that would be too large. */
export function answerTooLarge(cause?: unknown, most: number = LIMITS.answerBytes): KindError {
  const text = `The answer would be larger than ${most.toLocaleString('en')} bytes; ask for less: a smaller limit, or fewer fields with include`;
  return new KindError([{ code: 'answer.too_large', text }], undefined, cause === undefined ? undefined : { cause });
}

/**
 * `JSON.stringify` that stops as soon as the text exceeds the size limit of answers. A small value that repeats a
 * shared object many times can have a huge text. @throws KindError 400
 */
export function boundedJson(value: unknown): string | undefined {
  // Lower bound of the size: every value has a comma but the first, and escapes only add bytes.
  let left = LIMITS.answerBytes + 1;
  const count = (_: string, part: unknown): unknown => {
    if (typeof part === 'string') left -= part.length + 3;
    else if (part !== undefined) left -= 2;
    if (left < 0) throw answerTooLarge();
    return part;
  };
  const text = JSON.stringify(value, count) as string | undefined;
  if (text !== undefined && Buffer.byteLength(text) > LIMITS.answerBytes) throw answerTooLarge();
  return text;
}

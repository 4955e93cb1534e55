import { KindError } from './errors.js';
import { LIMITS } from './limits.js';

/** The refusal of what would be larger than an answer may be. */
export function answerTooLarge(cause?: unknown, most: number = LIMITS.answerBytes): KindError {
  const text = `The answer would be larger than ${most.toLocaleString('en')} bytes; ask for less: a smaller limit, or fewer fields with include`;
  return new KindError([{ code: 'answer.too_large', text }], undefined, cause === undefined ? undefined : { cause });
}

/**
 * `JSON.stringify` of what may be larger than an answer, and is refused while it is written: what has few objects that
 * stand in it many times over takes little memory and endless text. @throws KindError 400
 */
export function boundedJson(value: unknown): string | undefined {
  // What a value takes at least, with a comma, which the first one lacks: texts may be escaped, and take more bytes.
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

/** One part of a content by `Range` and `If-Range` (RFC 9110, section 14). */
import { KindError } from '../../shared/errors.js';
import type { ByteRange } from '../store/file-store.js';

interface Ranged {
  readonly bytes: number;
  readonly etag: string;
  readonly modified: Date;
}

interface RangeHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
}

/** One range; several, those of other units and malformed ones are not looked at, as RFC 9110 allows and wants. */
const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of a content to answer; undefined if it is all of it.
 * @throws KindError 416 if no byte of the content is in the range
 */
export function requestedRange(headers: RangeHeaders, content: Ranged): ByteRange | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(headers.range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  if (!isUnchanged(headers['if-range'], content)) return undefined;
  const { bytes } = content;
  if (first === '') return suffix(Number(last), bytes);
  if (Number(first) >= bytes) throw unsatisfiable(bytes);
  return { first: Number(first), last: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

/** The header `Content-Range` of a part. */
export function contentRange({ first, last }: ByteRange, bytes: number): string {
  return `bytes ${first}-${last}/${bytes}`;
}

/** The last bytes; of an empty content, of which no part can be named, all. */
function suffix(length: number, bytes: number): ByteRange | undefined {
  if (length === 0) throw unsatisfiable(bytes);
  return bytes === 0 ? undefined : { first: Math.max(0, bytes - length), last: bytes - 1 };
}

/** Whether the content is the one that `If-Range` names, by its ETag (strong comparison) or its date. */
function isUnchanged(ifRange: string | undefined, { etag, modified }: Ranged): boolean {
  if (ifRange === undefined) return true;
  const validator = ifRange.trim();
  return validator === etag || validator === modified.toUTCString();
}

function unsatisfiable(bytes: number): KindError {
  const text = `The content has ${bytes} bytes, and none of them is in that range`;
  return new KindError([{ code: 'file.range', text }], undefined, { contentRange: `bytes */${bytes}` });
}

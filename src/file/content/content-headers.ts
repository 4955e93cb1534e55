/**
 * The headers of a content. Whoever uploads a file decides on its bytes, so it is never run as a page of the service: it
 * is of its own type only, shown by itself only where that is harmless, and everything else is saved.
 */
import { create as contentDisposition } from 'content-disposition';
import { contentEtag } from './content-etag.js';

interface ServedContent {
  readonly name: string;
  readonly mediaType: string;
  readonly sha256: string;
  readonly modified: Date;
  /** What distinguishes a size of an image from the image. */
  readonly size?: string | undefined;
  /** A further header of the request on which the content depends. */
  readonly varies?: string;
}

/** By what the caller may read the content: a signed address with the seconds until it ends, a token, or nothing. */
export type ReadBy = { readonly signatureFor: number } | 'token' | 'nothing';

const INLINE = /^(image\/(jpeg|png|webp|gif|avif)|(audio|video)\/[^+]+|application\/pdf|text\/plain)$/;
const PLAIN_TEXT = 'text/plain';
/** Seconds that a content may be kept: by its address, and longer by a signed one, which names one content. */
const KEPT = 300;
const SIGNED_KEPT = 3600;

/** @param download whether the content is to be saved, whatever it is */
export function contentHeaders(content: ServedContent, readBy: ReadBy, download = false): Record<string, string> {
  const { name, mediaType, modified, varies } = content;
  const type = !download && INLINE.test(mediaType) ? 'inline' : 'attachment';
  return {
    'Content-Type': mediaType === PLAIN_TEXT ? `${PLAIN_TEXT}; charset=utf-8` : mediaType,
    'Content-Disposition': contentDisposition(name, { type }),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'no-referrer',
    'Accept-Ranges': 'bytes',
    ETag: contentEtag(content),
    'Last-Modified': modified.toUTCString(),
    ...caching(readBy),
    ...varyOn(readBy === 'token' ? 'Authorization' : undefined, varies),
  };
}

function varyOn(...names: readonly (string | undefined)[]): Record<string, string> {
  const given = names.filter((name) => name !== undefined);
  return given.length > 0 ? { Vary: given.join(', ') } : {};
}

function caching(readBy: ReadBy): Record<string, string> {
  if (readBy === 'nothing') return { 'Cache-Control': `public, max-age=${KEPT}` };
  if (readBy === 'token') return { 'Cache-Control': `private, max-age=${KEPT}` };
  const seconds = Math.max(0, Math.min(SIGNED_KEPT, Math.floor(readBy.signatureFor)));
  return { 'Cache-Control': `private, max-age=${seconds}` };
}

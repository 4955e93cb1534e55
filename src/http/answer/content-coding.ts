/** Content codings (RFC 9110, section 12.5.3): the one in which a client wants an answer, and bytes in it. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpRequest } from '../request/request.js';

/** The one that makes less of the same bytes first. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export function codingOf({ headers }: HttpRequest): Coding | undefined {
  return preferredCoding(headers['accept-encoding']);
}

/**
 * The coding that the client likes best, of several the one that makes least; undefined for the bytes as they are: where
 * it likes these better, takes no coding that there is, or says nothing.
 */
export function preferredCoding(accepted = ''): Coding | undefined {
  const weights = new Map(accepted.split(',').flatMap(weightOf));
  const others = weights.get('*') ?? 0;
  const liking = (name: string) => weights.get(name) ?? others;
  const best = CODINGS.reduce((a, b) => (liking(b) > liking(a) ? b : a));
  return liking(best) > 0 && liking(best) >= liking('identity') ? best : undefined;
}

const ACCEPTED = /^\s*([^\s;,]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** What is none is passed over. */
function weightOf(text: string): [name: string, weight: number][] {
  const [, name, weight = '1'] = ACCEPTED.exec(text) ?? [];
  if (name === undefined) return [];
  const coding = name.toLowerCase();
  return [[coding === 'x-gzip' ? 'gzip' : coding, Number(weight)]];
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/** Beside the event loop. The quality makes some 40 MB of JSON a second; the best makes one. */
export function encode(bytes: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case 'br': {
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
      return compress.br(bytes, { params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    }
    case 'gzip':
      return compress.gzip(bytes);
  }
}

/** Content codings (RFC 9110, section 12.5.3): negotiates a coding, and compresses. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpRequest } from '../request/request.js';

/** The supported codings, best compression first. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export function codingOf({ headers }: HttpRequest): Coding | undefined {
  return preferredCoding(headers['accept-encoding']);
}

/** Whether an answer that is written piece by piece may be compressed with gzip. */
export function acceptsGzip({ headers }: HttpRequest): boolean {
  return preferredCoding(headers['accept-encoding'], ['gzip']) === 'gzip';
}

/**
 * The coding with the highest weight; the best compression among equals. Undefined for no coding: if the client prefers
 * identity, accepts no supported coding, or sends no header.
 */
export function preferredCoding(accepted = '', codings: readonly Coding[] = CODINGS): Coding | undefined {
  const weights = new Map(accepted.split(',').flatMap(parseWeight));
  const others = weights.get('*') ?? 0;
  const weight = (name: string) => weights.get(name) ?? others;
  const best = codings.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  return weight(best) > 0 && weight(best) >= weight('identity') ? best : undefined;
}

const ACCEPTED = /^\s*([^\s;,]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** Ignores malformed items. */
function parseWeight(text: string): [name: string, weight: number][] {
  const [, name, weight = '1'] = ACCEPTED.exec(text) ?? [];
  if (name === undefined) return [];
  const coding = name.toLowerCase();
  return [[coding === 'x-gzip' ? 'gzip' : coding, Number(weight)]];
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/** Runs on the thread pool. The chosen quality compresses about 40 MB of JSON per second; the best one 1 MB. */
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

/** Checks on request headers that Node's parser does not make. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { refusal, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { shortened } from '../../shared/shortened.js';
import { PROJECT_HEADER } from './header-names.js';

/** Headers that must not be repeated: a proxy could have checked the other value. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', PROJECT_HEADER]);

/** The fault of the headers; undefined if there is none. */
export function headFault({ rawHeaders, headers, httpVersion }: IncomingMessage): KindError | undefined {
  const count = rawHeaders.length / 2;
  if (count > LIMITS.headerFields) {
    return refusal(
      'request.head_too_large',
      `A request has at most ${LIMITS.headerFields} header fields, got ${count}`,
    );
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    return refusal('request.malformed', 'The header host is missing', { parameter: 'host' });
  }
  const coding = unknownCoding(headers);
  if (coding !== undefined) {
    const text = `The transfer-encoding must be chunked, got ${shortened(coding)}`;
    return refusal('request.malformed', text, { parameter: 'transfer-encoding' });
  }
  const twice = repeatedHeader(rawHeaders);
  if (twice === undefined) return undefined;
  return refusal('request.malformed', `The header ${twice} is given more than once`, { parameter: twice });
}

/**
 * A transfer coding that the service does not know, so that it can't tell where the request ends and the next one
 * begins: the connection must be closed after the answer.
 */
export function unknownCoding({ 'transfer-encoding': coding }: IncomingHttpHeaders): string | undefined {
  return coding?.toLowerCase() === 'chunked' ? undefined : coding;
}

/** Comparing lengths first is fast: this runs for every request. */
const SINGLE_HEADER_LENGTHS: ReadonlySet<number> = new Set([...SINGLE_HEADERS].map(({ length }) => length));

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (!SINGLE_HEADER_LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}

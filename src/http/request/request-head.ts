/** What may be wrong with the head of a request that Node's parser lets through. */
import type { IncomingMessage } from 'node:http';
import { refusal, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { PROJECT_HEADER } from './headers.js';

/** Fields that a request has once: of two, a proxy before the service may have looked at the other one. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', PROJECT_HEADER]);

/** Undefined where nothing is. */
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
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    const text = `The transfer-encoding must be chunked, got ${coding.slice(0, 80)}`;
    return refusal('request.malformed', text, { parameter: 'transfer-encoding' });
  }
  const twice = repeated(rawHeaders);
  if (twice === undefined) return undefined;
  return refusal('request.malformed', `The header ${twice} is given more than once`, { parameter: twice });
}

/** Of most names the length tells enough: this is asked of every request. */
const LENGTHS: ReadonlySet<number> = new Set([...SINGLE].map(({ length }) => length));

function repeated(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (!LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}

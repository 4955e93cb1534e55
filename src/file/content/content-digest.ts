import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../../shared/base64.js';
import { refusal } from '../../shared/errors.js';

type Algorithm = 'sha256' | 'sha512';

/** The algorithms of RFC 9530 that are not deprecated, with the bytes of a digest. */
const ALGORITHMS = new Map<string, { readonly algorithm: Algorithm; readonly bytes: number }>([
  ['sha-256', { algorithm: 'sha256', bytes: 32 }],
  ['sha-512', { algorithm: 'sha512', bytes: 64 }],
]);

/** A member of a dictionary (RFC 9651) whose value is a byte sequence. Its parameters say nothing here. */
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*(?:;[^,]*)?$/;
const LONGEST = 2000;

/**
 * The same bytes, which have to be those that a `Content-Digest` is of.
 * @throws KindError 400 if the header is malformed; at the end, if they are others
 */
export function withDigest<T extends Uint8Array>(
  source: AsyncIterable<T>,
  header: string | undefined,
): AsyncIterable<T> {
  const digests = parseContentDigest(header);
  return digests.length === 0 ? source : compared(source, digests);
}

/** The same for a body that is there. @throws KindError 400 */
export function checkDigest(bytes: Uint8Array, header: string): void {
  for (const { algorithm, value } of parseContentDigest(header)) {
    if (!timingSafeEqual(createHash(algorithm).update(bytes).digest(), value)) throw mismatch();
  }
}

async function* compared<T extends Uint8Array>(
  source: AsyncIterable<T>,
  digests: readonly Digest[],
): AsyncGenerator<T, void, undefined> {
  const hashes = digests.map(({ algorithm, value }) => ({ hash: createHash(algorithm), value }));
  for await (const chunk of source) {
    for (const { hash } of hashes) hash.update(chunk);
    yield chunk;
  }
  for (const { hash, value } of hashes) {
    if (timingSafeEqual(hash.digest(), value)) continue;
    throw mismatch();
  }
}

interface Digest {
  readonly algorithm: Algorithm;
  readonly value: Buffer;
}

/**
 * The digests of a `Content-Digest` by the algorithms that are known; of one that is named twice the last.
 * @throws KindError 400 if the header is malformed
 */
function parseContentDigest(header: string | undefined): Digest[] {
  if (header === undefined) return [];
  if (header.length > LONGEST) throw malformed();
  const digests = new Map<Algorithm, Buffer>();
  for (const member of header.split(',')) {
    const [, name = '', text = ''] = MEMBER.exec(member) ?? [];
    if (name === '') throw malformed();
    const known = ALGORITHMS.get(name);
    if (!known) continue;
    const value = decodeBase64(text);
    if (value?.length !== known.bytes) throw malformed();
    digests.set(known.algorithm, value);
  }
  return [...digests].map(([algorithm, value]) => ({ algorithm, value }));
}

function mismatch(): Error {
  return refusal('file.digest', 'The body is not the one that Content-Digest is of');
}

function malformed(): Error {
  return refusal('file.digest', 'Content-Digest has the form sha-256=:base64:, of all 32 bytes');
}

/** The header `Content-Digest` of a request (RFC 9530). */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
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
  source: AsyncGenerator<T, void, undefined>,
  headers: IncomingHttpHeaders,
): AsyncGenerator<T, void, undefined> {
  const digest = BodyDigest.of(headers);
  return digest ? compared(source, digest) : source;
}

async function* compared<T extends Uint8Array>(
  source: AsyncIterable<T>,
  digest: BodyDigest,
): AsyncGenerator<T, void, undefined> {
  for await (const chunk of source) {
    digest.add(chunk);
    yield chunk;
  }
  digest.check();
}

/** What a `Content-Digest` says of a body, in the coding in which it is sent, and what of that has come. */
export class BodyDigest {
  readonly #hashes: readonly { readonly hash: Hash; readonly value: Buffer }[];

  private constructor(header: string) {
    this.#hashes = parseContentDigest(header).map(({ algorithm, value }) => ({ hash: createHash(algorithm), value }));
  }

  /** Undefined if there is no such header. @throws KindError 400 if it is malformed */
  static of({ 'content-digest': header }: IncomingHttpHeaders): BodyDigest | undefined {
    return header === undefined ? undefined : new BodyDigest(String(header));
  }

  add(bytes: Uint8Array): void {
    for (const { hash } of this.#hashes) hash.update(bytes);
  }

  /** Call it once, at the end. @throws KindError 400 if the body is another one */
  check(): void {
    for (const { hash, value } of this.#hashes) {
      if (hash.digest().equals(value)) continue;
      throw refusal('file.digest', 'The body is not the one that Content-Digest is of');
    }
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
function parseContentDigest(header: string): Digest[] {
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

function malformed(): Error {
  return refusal('file.digest', 'Content-Digest has the form sha-256=:base64:, of all 32 bytes');
}

/** The header `Idempotency-Key` of writes. */
import { createHash } from 'node:crypto';
import { KEY_HEADER } from '../../http/request/header-names.js';
import { refusal } from '../../shared/errors.js';
import type { Caller } from '../../tenancy/caller.js';
import type { KeyedRequest } from '../../sql/write/idempotency.sql.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** @throws KindError 400 for a malformed key, and for callers without a token */
export function keyId(key: string, caller: Caller): string {
  if (!KEY.test(key)) {
    const text = 'Idempotency-Key: wants one key of 1 to 255 visible ASCII characters';
    throw refusal('idempotency.bad_key', text, { parameter: KEY_HEADER });
  }
  if (caller.type !== 'member') {
    throw refusal('idempotency.not_here', 'Idempotency-Key is for members: the request has no token', {
      parameter: KEY_HEADER,
    });
  }
  return `${caller.kindId} ${caller.id} ${key}`;
}

/** @param request method, path and query; @param body undefined if it has none */
export function keyedRequest(id: string, request: string, body: Uint8Array | undefined): KeyedRequest {
  const hash = createHash('sha256')
    .update(body ?? '')
    .digest('base64');
  return { id, request, hash };
}

/** Headers of requests, by the name of their component. Pure. */
import type { OpenApiParameter } from '../openapi.js';

const headerOf = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    ...headerOf(
      'Idempotency-Key',
      'Of members: a name for this request. Sent again within 24 hours, it is not done again and answered as before, with `idempotency-replayed: true`.',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  KindConsistency: {
    ...headerOf('Kind-Consistency', 'With `eventual` the answer may be some seconds old: it may come from a replica.'),
    schema: { type: 'string', enum: ['strong', 'eventual'] },
  },
  KindRefreshToken: {
    ...headerOf(
      'Kind-Refresh-Token',
      'With `cookie` the refresh token is answered, and read, as a cookie that scripts cannot read; it is null in the body.',
    ),
    schema: { type: 'string', const: 'cookie' },
  },
  IfMatch: headerOf('If-Match', 'The ETag of the version that is to be changed; 412 where it is another by now.'),
  IfNoneMatch: headerOf('If-None-Match', 'An ETag that is known; 304 where it still fits.'),
} as const;

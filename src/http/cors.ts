/** Pages of other origins: what they may send, and what they may read of answers. */
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { HttpRequest } from './request/request.js';
import type { Config } from '../config/config.js';
import {
  CONSISTENCY_HEADER,
  DRY_RUN_HEADER,
  FILE_HEADER,
  KEY_HEADER,
  PROJECT_HEADER,
  REPLAYED_HEADER,
  REQUEST_ID_HEADER,
  RESULT_HEADER,
  SECOND_STEP_HEADER,
  TUS,
} from './header-names.js';

/**
 * The address of an endpoint, which services call, and no page. Of what looks like one, the functions and links of a
 * unit `hook` of a kind `project` are none.
 */
const ENDPOINT = /^\/api\/lib\/project\/(?!unit\/hook\/(?:function|link)\/)[^/]+\/hook\/[^/]+\/[^/]+$/;

export function isEndpoint(path: string): boolean {
  return ENDPOINT.test(path);
}

/** What pages of other origins may send and read. A header that they need is added here. */
const HEADERS = {
  allowed: [
    'authorization',
    'content-digest',
    'content-type',
    'if-match',
    'if-none-match',
    'if-range',
    'range',
    CONSISTENCY_HEADER,
    KEY_HEADER,
    PROJECT_HEADER,
    REQUEST_ID_HEADER,
    ...Object.values(TUS),
  ],
  exposed: [
    'accept-ranges',
    'content-disposition',
    'content-range',
    'etag',
    'location',
    REQUEST_ID_HEADER,
    RESULT_HEADER,
    'retry-after',
    DRY_RUN_HEADER,
    REPLAYED_HEADER,
    ...['length', 'offset', 'metadata', 'expires'].map((name) => `upload-${name}`),
    ...['resumable', 'version', 'extension', 'max-size'].map((name) => `tus-${name}`),
    FILE_HEADER,
    SECOND_STEP_HEADER,
  ],
};

/** Whether a page is one of the service's own, or of an origin that CORS_ORIGINS names: all (`*`) are none by name. */
export function isOwnOrigin(
  { publicUrl, corsOrigins }: Pick<Config, 'publicUrl' | 'corsOrigins'>,
  origin: string,
  host: string | undefined,
): boolean {
  if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return true;
  return origin.replace(/^https?:\/\//, '') === host || (corsOrigins !== '*' && corsOrigins.includes(origin));
}

/** Preflights need no project header, because `answerOptions` answers them before the interceptor. */
export function corsOptions({ corsOrigins }: Pick<Config, 'corsOrigins'>) {
  const options = {
    origin: corsOrigins === '*' ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: HEADERS.allowed,
    exposedHeaders: HEADERS.exposed,
    maxAge: 600,
    preflightContinue: true,
  };
  return ({ path }: HttpRequest, answer: (error: null, options: CorsOptions) => void): void =>
    answer(null, isEndpoint(path) ? { origin: false } : options);
}

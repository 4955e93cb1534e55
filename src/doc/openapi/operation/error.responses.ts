/** The error responses, one per status, with their error codes. Pure. */
import { ERRORS, type ErrorKind } from '../../../shared/errors.js';
import { headerRef, schemaRef, type Response } from '../openapi.js';
import { DRY_RUN_HEADER, REPEATED_STATUSES, REPLAYED_HEADER, REQUEST_ID_HEADER } from '../../../http/header-names.js';

export type ErrorStatus = ErrorKind['status'];

export const ERROR_NAMES: Readonly<Record<ErrorStatus, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'NotKept',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'UnprocessableContent',
  423: 'Locked',
  429: 'TooManyRequests',
  431: 'HeaderFieldsTooLarge',
  500: 'ServerError',
  503: 'Unavailable',
  504: 'TimedOut',
};

const HEADINGS: Readonly<Record<ErrorStatus, string>> = {
  400: 'The input is bad. One answer lists all faults of a body.',
  401: 'No token, or no good one: another could help. Or there is no such project.',
  403: 'This caller may not do that.',
  404: 'There is no such thing, or none that the caller may see.',
  405: 'That method is not taken here; `Allow` names those that are.',
  409: 'It conflicts with what is stored.',
  410: 'It was there, and is not kept.',
  412: 'The unit is no longer the version that `If-Match`, or `updated_at` in the body, names.',
  413: 'The body is too large, or the document that was asked for.',
  415: 'The body is not said to be JSON, or that of an import CSV or NDJSON.',
  416: 'The content has no byte in the range.',
  422: 'The `Idempotency-Key` belongs to another request.',
  423: 'Another request works on it.',
  429: 'Too many requests, or attempts.',
  431: 'The head of the request is too large.',
  500: 'Something went wrong in the service.',
  503: 'Not now: the service or its database is away or busy. Of a write the text says `not stored`, or that it is not known whether it was.',
  504: 'It took longer than its time limit.',
};

const UNAVAILABLE_WITH_HOOKS = `${HEADINGS[503]} Functions and hooks are run again where others change what they work on; \`server.busy\` also says that the time limit was over before they came through: nothing was stored.`;

const STATUSES = Object.keys(ERROR_NAMES).map(Number) as ErrorStatus[];
/** Those of a dry run. */
const DRY_STATUSES: ReadonlySet<number> = new Set([...REPEATED_STATUSES, 401, 403, 503, 504]);
const STATUSES_WITH_RETRY_AFTER: ReadonlySet<ErrorStatus> = new Set([429, 503]);

function errorResponse(status: ErrorStatus, heading = HEADINGS[status]): Response {
  const codes = Object.entries(ERRORS).filter(([, error]) => error.status === status);
  const list = codes.map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`).join('\n');
  return {
    description: list === '' ? heading : `${heading}\n\n${list}`,
    headers: {
      [REQUEST_ID_HEADER]: headerRef('RequestId'),
      ...(STATUSES_WITH_RETRY_AFTER.has(status) && { 'Retry-After': headerRef('RetryAfter') }),
      ...(DRY_STATUSES.has(status) && { [DRY_RUN_HEADER]: headerRef('DryRun') }),
      ...(REPEATED_STATUSES.has(status) && { [REPLAYED_HEADER]: headerRef('Replayed') }),
      ...(status === 405 && { Allow: headerRef('Allow') }),
      ...(status === 416 && { 'Content-Range': headerRef('ContentRange') }),
      ...(status === 401 && { 'WWW-Authenticate': headerRef('Challenge') }),
    },
    content: { 'application/json': { schema: schemaRef('kind_error') } },
  };
}

export const ERROR_RESPONSES: Readonly<Record<string, Response>> = {
  ...Object.fromEntries(STATUSES.map((status) => [ERROR_NAMES[status], errorResponse(status)])),
  Overtaken: errorResponse(503, UNAVAILABLE_WITH_HOOKS),
  Refused: {
    description: 'A function or hook of the project refused, with a status and a code of its own.',
    headers: {
      [REQUEST_ID_HEADER]: headerRef('RequestId'),
      [DRY_RUN_HEADER]: headerRef('DryRun'),
      [REPLAYED_HEADER]: headerRef('Replayed'),
    },
    content: { 'application/json': { schema: schemaRef('kind_error') } },
  },
  NotModified: {
    description: 'The answer is still the one that `If-None-Match` names.',
    headers: { [REQUEST_ID_HEADER]: headerRef('RequestId'), ETag: headerRef('ETag') },
  },
};

export const HEADERS = {
  RequestId: { description: 'The id of the request, for the logs.', schema: { type: 'string' } },
  ETag: { description: 'The version of the unit, for `If-Match` and `If-None-Match`.', schema: { type: 'string' } },
  ContentETag: {
    description: 'That of the content, for `If-Match`, `If-None-Match` and `If-Range`.',
    schema: { type: 'string' },
  },
  ContentRange: {
    description: 'Which bytes these are, of how many: `bytes 0-1023/4096`.',
    schema: { type: 'string' },
  },
  ContentDisposition: {
    description: 'The name of the file, and whether it is to be shown (`inline`) or saved (`attachment`).',
    schema: { type: 'string' },
  },
  AcceptRanges: { description: 'Always `bytes`.', schema: { type: 'string' } },
  Result: {
    description: 'Of an upsert of one unit: what happened to it.',
    schema: { type: 'string', enum: ['created', 'updated', 'unchanged', 'ignored'] },
  },
  DryRun: {
    description: '`true` on the answer of a dry run, also where it is refused: nothing was stored.',
    schema: { type: 'string', enum: ['true'] },
  },
  Replayed: {
    description:
      '`true` on an answer, also a refusal, that is repeated for its `Idempotency-Key`: the write was done before.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: { description: 'Seconds until it is worth another try.', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'The methods that are taken, separated by commas.', schema: { type: 'string' } },
  TusResumable: { description: 'The version of tus.', schema: { type: 'string', const: '1.0.0' } },
  LeadsOn: { description: 'Where it goes on.', schema: { type: 'string' } },
  FlowCookie: {
    description: 'The cookie that ties the sign-in to its browser for ten minutes (`__Host-kind-flow`).',
    schema: { type: 'string' },
  },
  SecondStep: {
    description: 'Where the content is null: the second step that is missing, as `otp`, or by a passkey.',
    schema: { type: 'string', enum: ['totp', 'mail', 'passkey'] },
  },
  UploadLocation: { description: 'The path of the upload.', schema: { type: 'string' } },
  UploadLength: { description: 'The bytes of the whole content.', schema: { type: 'integer', minimum: 0 } },
  UploadMetadata: { description: 'As it was sent.', schema: { type: 'string' } },
  UploadOffset: { description: 'The bytes that the upload has.', schema: { type: 'integer', minimum: 0 } },
  UploadExpires: { description: 'Until when the upload can go on.', schema: { type: 'string' } },
  FileId: {
    description: 'The id of the file, once the upload has become one.',
    schema: { type: 'string', format: 'uuid' },
  },
  Challenge: { description: 'Always `Bearer`.', schema: { type: 'string' } },
} as const;

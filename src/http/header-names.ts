/** The names of the headers that the service defines, in lower case as in Node.js. */

/** The key of the project. */
export const PROJECT_HEADER = 'kind-project-key';

/** What an upsert did with its unit. */
export const RESULT_HEADER = 'kind-result';

/** The id of the request, for the logs. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Set on the answers of dry runs. */
export const DRY_RUN_HEADER = 'kind-dry-run';

/** Names a write, so that it is done once however often it is sent. */
export const KEY_HEADER = 'idempotency-key';

/** Whether a read may answer older data. */
export const CONSISTENCY_HEADER = 'kind-consistency';

/** Where a browser client wants its refresh token. */
export const REFRESH_TOKEN_HEADER = 'kind-refresh-token';

/** The second step that a sign-in lacks. */
export const SECOND_STEP_HEADER = 'kind-second-step';

/** Set on an answer that was given before. */
export const REPLAYED_HEADER = 'idempotency-replayed';

/** The id of the file that an upload has become. */
export const FILE_HEADER = 'kind-file';

/** Headers of tus, the protocol of resumable uploads, in requests. */
export const TUS = {
  version: 'tus-resumable',
  length: 'upload-length',
  offset: 'upload-offset',
  metadata: 'upload-metadata',
  method: 'x-http-method-override',
} as const;

/** Statuses of refusals of the input and of what it names, which are given again. Others are of the caller or of the moment. */
export const REPEATED_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 412, 422]);

/** The `User-Agent` of webhooks, by which this API knows and refuses them. */
export const WEBHOOK_AGENT = 'kind-webhook';

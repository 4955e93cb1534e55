/** The responses of operations. Pure. */
import type { KindDef } from '../../../model/model.js';
import { ERROR_NAMES, ERROR_RESPONSES, type ErrorStatus } from './error.responses.js';
import {
  headerRef,
  responseRef,
  schemaRef,
  type OpenApiOperation,
  type Ref,
  type Response,
  type Schema,
} from '../openapi.js';
import {
  DRY_RUN_HEADER,
  FILE_HEADER,
  REPLAYED_HEADER,
  REQUEST_ID_HEADER,
  RESULT_HEADER,
  SECOND_STEP_HEADER,
} from '../../../http/header-names.js';
import type { ContentForm } from '../../../http/route/api-route.js';
import { COMMON_STATUSES, PROJECT_STATUSES, takesKey, type DocumentedRoute } from '../application.js';
import { definitionEnvelopeSchema, envelopeSchema, NULL_SCHEMA, pageSchema } from '../schema/shared.schemas.js';
import type { DocumentedFunction } from '../documented-functions.js';
import { functionAnswer } from '../schema/function.schema.js';
import { LIMITS } from '../../../shared/limits.js';
import { createdManySchema, readsAll } from '../schema/unit.schema.js';
import { hasRecord, kindContext, type DocumentView } from '../view.js';
import { KIND_KIND } from '../../../model/built-in-traits.js';

const FORMS_WITH_HOOKS: ReadonlySet<DocumentedRoute['form']> = new Set([
  'create',
  'update',
  'signup',
  'file',
  'upload',
  'content',
  'part',
  'endpoint',
]);

/** Statuses of routes that read a body, even if it is optional. */
const BODY_STATUSES: readonly ErrorStatus[] = [413, 415];

/** Statuses of routes that take an idempotency key. */
const KEY_STATUSES: readonly ErrorStatus[] = [409, 422];

/** @param kinds of the operation; empty if its path has `{kind_id}` */
export function responsesOf(
  route: DocumentedRoute,
  kinds: readonly KindDef[],
  view: DocumentView,
): OpenApiOperation['responses'] {
  const common = route.needs === 'nothing' ? COMMON_STATUSES : PROJECT_STATUSES;
  const bodyStatuses = route.method === 'post' || route.method === 'put' ? BODY_STATUSES : [];
  const runsHooks =
    route.content === 'function' ||
    route.content === 'batch' ||
    FORMS_WITH_HOOKS.has(route.form) ||
    (route.method === 'delete' && (route.of === 'all' || route.of === 'bulk')) ||
    // Changing the values of a link runs none.
    (route.onLinks !== undefined && route.method !== 'put');
  const callsSource =
    route.sourceOperation !== undefined && (view.generic || kinds.some(({ storage }) => !storage.hasTable));
  // Functions, hooks and sources may refuse with any code, and may exceed their time limit.
  const runsUserCode = runsHooks || callsSource;
  const statuses = new Set([
    ...common,
    ...bodyStatuses,
    ...(route.refuses ?? []),
    ...(takesKey(route, kinds.length === 1 ? kinds[0] : undefined) ? KEY_STATUSES : []),
    ...(runsUserCode ? ([504] as const) : []),
  ]);
  const nameOf = (status: ErrorStatus) => (runsHooks && status === 503 ? 'Overtaken' : ERROR_NAMES[status]);
  const refusal = route.leads === undefined ? responseRef : refusalAsPage;
  const refusals = [...statuses].map((status) => [String(status), refusal(nameOf(status))] as const);
  return {
    [String(route.tus ?? route.leads ?? 200)]: success(route, kinds.length === 1 ? kinds[0] : undefined, view),
    ...(route.ranged && { '206': PART }),
    ...(route.conditional === 'read' && { '304': responseRef('NotModified') }),
    ...Object.fromEntries(refusals),
    ...(runsUserCode && { default: responseRef('Refused') }),
  };
}

function success(route: DocumentedRoute, kind: KindDef | undefined, view: DocumentView): Response | Ref {
  const { content, media = 'application/json' } = route;
  if (route.tus !== undefined) return { description: SUCCESS_TEXTS[route.method], headers: tusHeaders(route) };
  if (route.leads !== undefined) return route.id === 'provider.start' ? STARTS_FLOW : LEADS_ON;
  const ofWrite = writeHeaders(route, kind);
  const isWrite = Object.keys(ofWrite).length > 0;
  if (content === 'nothing') return responseRef(isWrite ? 'Gone' : 'Nothing');
  const kindId = content === 'kind' ? KIND_KIND : content === 'unit' ? kind?.id : undefined;
  if (kindId !== undefined && hasRecord(view, kindId)) {
    const answered = view.names.schema(kindId, 'answer');
    if (!isWrite) return responseRef(answered);
    const more = { ...ofWrite, ...(route.form === 'content' && { ETag: headerRef('ContentETag') }) };
    return recordResponse(view.names.schema(kindId, 'record'), more, kind?.builtIn === true);
  }
  const hasEtag = VERSIONED_CONTENT.has(content) || route.conditional === 'read';
  const tellsChanges = !kind || kind.builtIn || route.method === 'delete';
  const envelopeOf = isWrite && tellsChanges ? definitionEnvelopeSchema : envelopeSchema;
  const schemaOf = (type: string) =>
    content && type === 'application/json'
      ? envelopeOf(contentSchema(content, kind, view))
      : (MEDIA.get(type) ?? { type: 'string' });
  return {
    description: SUCCESS_TEXTS[route.method],
    headers: {
      [REQUEST_ID_HEADER]: headerRef('RequestId'),
      ...(content === 'sessionOrCode' && { [SECOND_STEP_HEADER]: headerRef('SecondStep') }),
      ...(hasEtag && { ETag: headerRef(route.ranged ? 'ContentETag' : 'ETag') }),
      ...(route.ranged && WHOLE_CONTENT),
      ...(route.upserts && mayTakeMany(kind) && { [RESULT_HEADER]: headerRef('Result') }),
      ...ofWrite,
    },
    content: Object.fromEntries([media].flat().map((type) => [type, { schema: schemaOf(type) }])),
  };
}

type Headers = Readonly<Record<string, Ref>>;

const DRY_RUN: Headers = { [DRY_RUN_HEADER]: headerRef('DryRun') };
const REPLAYED: Headers = { [REPLAYED_HEADER]: headerRef('Replayed') };

/** The headers of routes that have dry runs, and of those that take idempotency keys. */
export function writeHeaders(route: DocumentedRoute, kind: KindDef | undefined): Headers {
  const isDry = route.query.includes('dry_run') && kind?.storage.transactional !== false;
  return { ...(isDry && DRY_RUN), ...(takesKey(route, kind) && REPLAYED) };
}

/** The response of a function that declares what it returns. */
export function functionResponse(
  returns: NonNullable<DocumentedFunction['returns']>,
  view: DocumentView,
  more: Headers,
): Response {
  const content =
    'kind' in returns ? unitRef(returns.kind, view) : functionAnswer(returns.values, kindContext(view).mayRead);
  return {
    description: 'What the function returns.',
    headers: { [REQUEST_ID_HEADER]: headerRef('RequestId'), ...more },
    content: { 'application/json': { schema: envelopeSchema(content) } },
  };
}

/** Content whose answer has the ETag of one unit. */
const VERSIONED_CONTENT: ReadonlySet<ContentForm | undefined> = new Set(['unit', 'created', 'kind']);

const LEADS_ON: Response = {
  description: 'It goes on at another address.',
  headers: { [REQUEST_ID_HEADER]: headerRef('RequestId'), Location: headerRef('LeadsOn') },
};

const STARTS_FLOW: Response = { ...LEADS_ON, headers: { ...LEADS_ON.headers, 'Set-Cookie': headerRef('FlowCookie') } };

/** Browsers are shown a page. */
function refusalAsPage(name: string): Response {
  const { content, ...response } = ERROR_RESPONSES[name] as Response;
  return { ...response, content: { ...content, 'text/html': { schema: { type: 'string' } } } };
}

const UPLOAD_STATE: Headers = {
  'Upload-Offset': headerRef('UploadOffset'),
  'Upload-Expires': headerRef('UploadExpires'),
  [FILE_HEADER]: headerRef('FileId'),
};

function tusHeaders({ method }: DocumentedRoute): Headers {
  return {
    [REQUEST_ID_HEADER]: headerRef('RequestId'),
    'Tus-Resumable': headerRef('TusResumable'),
    ...(method === 'post' && { Location: headerRef('UploadLocation') }),
    ...(method === 'head' && {
      'Upload-Length': headerRef('UploadLength'),
      'Upload-Metadata': headerRef('UploadMetadata'),
    }),
    ...(method !== 'delete' && UPLOAD_STATE),
  };
}

const SUCCESS_TEXTS = {
  get: 'What was asked for.',
  head: 'What was asked for.',
  post: 'Done.',
  put: 'What it is now.',
  patch: 'What it is now.',
  delete: 'Gone.',
} as const;
/** Bytes of any type. */
export const BYTES_SCHEMA = { type: 'string', format: 'binary' } as const;

const MEDIA: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['*/*', BYTES_SCHEMA],
  ['application/json', { type: 'object', additionalProperties: true }],
]);

/** The response with a unit of a kind; `record` is the name of its schema. */
export function recordResponse(record: string, more: Headers = {}, isDefinition = false): Response {
  const envelopeOf = isDefinition ? definitionEnvelopeSchema : envelopeSchema;
  return {
    description: 'The unit as it is now.',
    headers: { [REQUEST_ID_HEADER]: headerRef('RequestId'), ETag: headerRef('ETag'), ...more },
    content: { 'application/json': { schema: envelopeOf(schemaRef(record)) } },
  };
}

const WHOLE_CONTENT: Headers = {
  'Content-Disposition': headerRef('ContentDisposition'),
  'Accept-Ranges': headerRef('AcceptRanges'),
};

const PART: Response = {
  description: 'The part that `Range` asks for.',
  headers: {
    [REQUEST_ID_HEADER]: headerRef('RequestId'),
    ETag: headerRef('ContentETag'),
    'Content-Range': headerRef('ContentRange'),
  },
  content: { '*/*': { schema: BYTES_SCHEMA } },
};

const NOTHING: Response = {
  description: 'Done; there is nothing to show.',
  headers: { [REQUEST_ID_HEADER]: headerRef('RequestId') },
  content: { 'application/json': { schema: envelopeSchema(NULL_SCHEMA) } },
};

export const SHARED_RESPONSES: Readonly<Record<string, Response>> = {
  Nothing: NOTHING,
  Gone: {
    ...NOTHING,
    headers: { ...NOTHING.headers, ...DRY_RUN, ...REPLAYED },
    content: { 'application/json': { schema: definitionEnvelopeSchema(NULL_SCHEMA) } },
  },
};

function contentSchema(form: ContentForm, kind: KindDef | undefined, view: DocumentView): Schema {
  switch (form) {
    case 'unit':
      return unitRef(kind?.id, view);
    case 'created':
      return createdContent(kind, view);
    case 'units':
      return pageRef(kind?.id, view);
    case 'affected':
      return affectedSchema(unitRef(kind?.id, view));
    case 'anyUnit':
      return schemaRef('kind_unit');
    case 'anyUnits':
      return pageSchema(schemaRef('kind_unit'));
    case 'linkedUnits':
      return pageSchema(schemaRef('kind_linked_unit'));
    case 'groups':
      return pageSchema({ type: 'object', additionalProperties: true });
    case 'kind':
      return unitRef(KIND_KIND, view);
    case 'kinds':
      return pageRef(KIND_KIND, view);
    case 'descriptors':
      return pageSchema(schemaRef('kind_descriptor'));
    case 'struct':
      return schemaRef('kind_struct');
    case 'link':
      return schemaRef('kind_link');
    case 'links':
      return pageSchema(schemaRef('kind_link'));
    case 'imported':
      return schemaRef('kind_import');
    case 'nothing':
      return NULL_SCHEMA;
    case 'session':
      return schemaRef('kind_session');
    case 'sessionOrCode':
      return { anyOf: [schemaRef('kind_session'), NULL_SCHEMA] };
    case 'me':
      return schemaRef('kind_me');
    case 'rights':
      return schemaRef('kind_rights');
    case 'sessions':
      return pageSchema(schemaRef('kind_own_session'));
    case 'ways':
      return schemaRef('kind_ways');
    case 'secondStep':
      return schemaRef('kind_second_step');
    case 'totp':
      return schemaRef('kind_totp');
    case 'recoveryCodes':
      return schemaRef('kind_recovery_codes');
    case 'discovery':
      return schemaRef('kind_discovery');
    case 'ticket':
      return schemaRef('kind_ticket');
    case 'passkey':
      return schemaRef('kind_passkey');
    case 'passkeyOptions':
      return schemaRef('kind_passkey_options');
    case 'mail':
      return schemaRef('kind_mail');
    case 'explanation':
      return schemaRef('kind_explanation');
    case 'accessReport':
      return schemaRef('kind_access_report');
    case 'health':
      return schemaRef('kind_health');
    case 'minutes':
      return pageSchema(schemaRef('kind_minute'));
    case 'batch':
      return schemaRef('kind_batch');
    case 'function':
      return {};
    case 'functions':
      return schemaRef('kind_functions');
    case 'changes':
      return schemaRef('kind_feed');
    case 'versions':
      return schemaRef('kind_versions');
    case 'reverted':
      return schemaRef('kind_reverted');
    case 'functionRun':
      return schemaRef('kind_function_run');
    case 'functionFailure':
      return schemaRef('kind_function_failure');
    case 'functionFailures':
      return schemaRef('kind_function_failures');
    case 'functionRuns':
      return schemaRef('kind_function_runs');
    case 'fileUrl':
      return schemaRef('kind_file_url');
    case 'settings':
      return schemaRef('kind_settings');
    case 'agentCalls':
      return schemaRef('kind_agent_calls');
    case 'model':
      return schemaRef('kind_model_file');
    case 'modelPlan':
      return schemaRef('kind_model_plan');
    case 'modelApplied':
      return schemaRef('kind_model_applied');
    case 'webhookPing':
      return schemaRef('kind_webhook_ping');
    case 'webhookSecret':
      return schemaRef('kind_webhook_secret');
    case 'webhookDelivery':
      return schemaRef('kind_webhook_delivery');
    case 'webhookDeliveries':
      return schemaRef('kind_webhook_deliveries');
  }
}

/** The number of written units, and with `include` some of them. */
function affectedSchema(unit: Ref): Schema {
  const properties = {
    count: { type: 'integer', minimum: 0, description: 'How many units were changed.' },
    items: {
      type: 'array',
      items: unit,
      maxItems: LIMITS.bulk,
      description: 'Only with `include`: the units as they are now, and deleted ones as they were.',
    },
  };
  return { type: 'object', properties, required: ['count'], additionalProperties: false };
}

function unitRef(kindId: string | undefined, view: DocumentView): Ref {
  return schemaRef(kindId !== undefined && hasRecord(view, kindId) ? view.names.schema(kindId, 'record') : 'kind_unit');
}

function pageRef(kindId: string | undefined, view: DocumentView): Schema {
  return kindId !== undefined && hasRecord(view, kindId)
    ? schemaRef(view.names.schema(kindId, 'page'))
    : pageSchema(schemaRef('kind_unit'));
}

/** Whether a create accepts many units at once; true for a path with `{kind_id}`. */
export function mayTakeMany(kind: KindDef | undefined): boolean {
  return !kind || kind.storage.bulk;
}

/** Users' kinds also accept many units. What one and what many answer have names of their own. */
function createdContent(kind: KindDef | undefined, view: DocumentView): Schema {
  const isNamed = kind && !view.generic && hasRecord(view, kind.id);
  const one = isNamed ? schemaRef(view.names.schema(kind.id, 'created')) : unitRef(kind?.id, view);
  const { secret } = kind?.traits ?? {};
  if (secret !== undefined) return { allOf: [one, secretSchema(secret)] };
  if (!mayTakeMany(kind)) return one;
  if (!isNamed) return { anyOf: [one, createdManySchema(one)] };
  const many = schemaRef(view.names.schema(kind.id, 'created_many'));
  if (!readsAll(kind, view)) return { anyOf: [one, many] };
  // With `include` they have only the fields that it names.
  const included = unitRef(kind.id, view);
  return { anyOf: [one, many, included, createdManySchema(included)] };
}

/** What only the answer of a create has. */
function secretSchema(id: string): Schema {
  const secret: Schema = {
    type: ['string', 'null'],
    description: 'Answered this one time: only its hash is stored. Null in a dry run.',
  };
  return { type: 'object', properties: { [id]: secret }, required: [id] };
}

/**
 * Renders the operation of a route: for one kind, for all kinds together, for one link type with parameters, or without a
 * kind. Pure.
 */
import { SECURITY } from '../../../http/route/api-route.js';
import {
  ANSWER_NAMES,
  UNIT_QUERY,
  UPSERT_QUERY,
  type QueryName,
  WRITTEN_QUERY,
} from '../../../http/route/query-names.js';
import { readableFields } from '../../../access/masks.js';
import { unconditional } from '../../../model/predicate/conditional-field.js';
import { FILE_KIND, GROUP_KIND, KIND_KIND, LINK_KIND, WEBHOOK_KIND } from '../../../model/built-in-traits.js';
import { isMemberKind, PARAMETER_GROUP, type KindDef } from '../../../model/model.js';
import { searchDocument } from '../../../model/search-document.js';
import { LIMITS } from '../../../shared/limits.js';
import { ANONYMOUS } from '../../../tenancy/caller.js';
import {
  parameterRef,
  schemaRef,
  type OpenApiOperation,
  type OpenApiParameter,
  type PlacedOperation,
  type Ref,
  type RequestBody,
  type Schema,
  type Response,
} from '../openapi.js';
import { pathComponent, kindParameter } from './parameters.js';
import { queryComponent } from './query.parameters.js';
import { BYTES_SCHEMA, mayTakeMany, responsesOf } from './response.js';
import { takesConsistency, takesCookie, takesKey, type DocumentedRoute } from '../application.js';
import { bodyExample, namedExamples, signUpExample } from '../examples.js';
import { createSchema, signUpBody } from '../schema/unit.schema.js';
import { kindContext, mayCall, type DocumentView } from '../view.js';
import type { LinkForm } from '../names.js';
import { envelopeSchema, pageSchema } from '../schema/shared.schemas.js';

/**
 * @param kind undefined for a path without a kind, or with `{kind_id}`
 * @param kinds the kinds that the operation serves; empty if any
 */
export function operationOf(
  route: DocumentedRoute,
  path: string,
  kind: KindDef | undefined,
  view: DocumentView,
  kinds: readonly KindDef[] = kind ? [kind] : [],
): OpenApiOperation {
  const parameters = operationParameters(route, path, kind, view);
  const body = operationBody(route, kind, view);
  return {
    operationId: operationIdOf(route, kind, view),
    tags: [kind && route.of ? tagOfKind(kind, view) : route.tag],
    summary: route.summary.replace('%', () => kind?.label ?? 'a kind'),
    ...(route.description !== undefined && { description: route.description }),
    security: securityOf(route, kinds, view),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responsesOf(route, kinds, view),
  };
}

/** The operation of a route that is the same for all kinds, with the list of these; empty if no kind has it. */
export function sharedOperation(route: DocumentedRoute, view: DocumentView): PlacedOperation[] {
  const { path, method } = route;
  const kinds = view.kinds.filter((kind) => view.routes.get(kind)?.has(route));
  if (kinds.length === 0) return [];
  const operation = operationOf(route, path, undefined, view, kinds);
  const [, ...others] = operation.parameters ?? [];
  return [{ path, method, operation: { ...operation, parameters: [kindParameter(path, kinds), ...others] } }];
}

function operationIdOf({ id, of }: DocumentedRoute, kind: KindDef | undefined, { names }: DocumentView): string {
  if (of === undefined) return id;
  return kind ? names.operation(kind.id, id) : `any.${id}`;
}

/** The tag of a kind's operations. */
export function tagOfKind(kind: KindDef, { names }: DocumentView): string {
  if (kind.groups.includes(PARAMETER_GROUP)) return 'Parameters';
  // A project may have a kind `file` of its own.
  const builtIn = kind.builtIn || kind.traits.extensible ? BUILT_IN_TAGS.get(kind.id) : undefined;
  return builtIn ?? names.tag(kind.id);
}

const BUILT_IN_TAGS: ReadonlyMap<string, string> = new Map([
  [KIND_KIND, 'Kinds'],
  [GROUP_KIND, 'Groups'],
  [WEBHOOK_KIND, 'Webhooks'],
  [LINK_KIND, 'Links'],
  [FILE_KIND, 'Files'],
]);

/** A token is optional if one of the kinds needs none. */
function securityOf(
  route: DocumentedRoute,
  kinds: readonly KindDef[],
  view: DocumentView,
): OpenApiOperation['security'] {
  const { needs, rights } = route;
  switch (needs) {
    case 'nothing':
    case 'project':
    case 'bearer':
    case 'agent':
      return SECURITY[needs];
    case 'access': {
      const input = { ...view, caller: ANONYMOUS };
      const open = view.generic || !rights || kinds.length === 0 || kinds.some((kind) => mayCall(route, kind, input));
      return open ? SECURITY.access : SECURITY.bearer;
    }
  }
}

function operationParameters(
  route: DocumentedRoute,
  path: string,
  kind: KindDef | undefined,
  view: DocumentView,
): (OpenApiParameter | Ref)[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathComponent(name, kind));
  return [
    ...names.map(parameterRef),
    ...operationQuery(route, kind, view).map((name) => parameterRef(queryComponent(name, route.id))),
    ...(route.conditional === 'read' ? [parameterRef('IfNoneMatch')] : []),
    ...(route.conditional === 'write' ? [parameterRef('IfMatch')] : []),
    ...(route.ranged ? [parameterRef('Range'), parameterRef('IfRange')] : []),
    ...(UPLOADS.has(route.form) ? [parameterRef('ContentDigest')] : []),
    ...tusParameters(route).map(parameterRef),
    ...(takesCookie(route) ? [parameterRef('KindRefreshToken')] : []),
    ...(takesConsistency(route, kind) ? [parameterRef('KindConsistency')] : []),
    ...(takesKey(route, kind) ? [parameterRef('IdempotencyKey')] : []),
  ];
}

function tusParameters({ tus, form }: DocumentedRoute): readonly string[] {
  if (tus === undefined) return [];
  const ofPart = tus === 201 ? ['UploadLength', 'UploadMetadata'] : ['UploadOffset'];
  return ['TusResumable', ...(form === 'part' ? ofPart : [])];
}

/** The query parameters of a route, for a kind if given. */
function operationQuery(
  { id, query, form }: DocumentedRoute,
  kind: KindDef | undefined,
  { caller, model }: DocumentView,
): readonly QueryName[] {
  if (kind?.storage.type === 'remote' && (id === 'list' || id === 'get' || id === 'aggregate'))
    return UNIT_QUERY.remote[id];
  if (!kind) return query;
  const lacking = new Set<QueryName>();
  // Only edits of definitions can delete data, so only these have `cascade`.
  if (form === 'update' && !(kind.builtIn && !isMemberKind(kind))) lacking.add('cascade');
  if (!kind.storage.bulk || kind.traits.contents) for (const name of UPSERT_QUERY) lacking.add(name);
  if (!kind.storage.bulk && form) for (const name of WRITTEN_QUERY) lacking.add(name);
  // The source of a remote kind cannot undo a write.
  if (!kind.storage.transactional) lacking.add('dry_run');
  const shown = unconditional(readableFields(kind, caller, model));
  if (searchDocument(shown.values()) === undefined) lacking.add('search');
  return query.filter((name) => !lacking.has(name));
}

function operationBody(
  { body, form, method }: DocumentedRoute,
  kind: KindDef | undefined,
  view: DocumentView,
): RequestBody | undefined {
  switch (form) {
    case undefined:
      return body;
    case 'function':
      return { ...jsonBody({ type: 'object', additionalProperties: true }), required: false };
    case 'endpoint':
      return method === 'get' || method === 'delete' ? undefined : ANY_BYTES;
    case 'newLink':
      return {
        ...jsonBody({ description: 'Values of the parameters of the link type; without parameters, any JSON.' }),
        required: false,
      };
    case 'link':
      return jsonBody(schemaRef('kind_link_values'));
    case 'links':
      return jsonBody(schemaRef('kind_links_body'));
    case 'batch':
      return jsonBody(schemaRef('kind_batch_body'));
    case 'live':
      return jsonBody(schemaRef('kind_live_body'));
    case 'message':
      return jsonBody(schemaRef('kind_agent_message'));
    case 'file':
      return { required: true, content: { 'text/csv': FILE, 'application/x-ndjson': FILE } };
    case 'model':
      return {
        required: true,
        content: { ...jsonBody(schemaRef('kind_model_file')).content, 'application/yaml': FILE },
      };
    case 'content':
      return { required: true, content: { 'multipart/form-data': FORM, ...CONTENT.content } };
    case 'part':
      return { required: false, content: { 'application/offset+octet-stream': { schema: {} } } };
    case 'providerAnswer':
      return PROVIDER_ANSWER;
    case 'signup':
      return signUpRequestBody(kind, view);
    case 'upload': {
      const { content: json } = unitBody('create', kind, view);
      return { required: true, content: { ...json, 'multipart/form-data': FORM, ...CONTENT.content } };
    }
    case 'create':
    case 'update':
      return unitBody(form, kind, view);
  }
}

function unitBody(form: 'create' | 'update', kind: KindDef | undefined, view: DocumentView): RequestBody {
  const unit = kind ? schemaRef(view.names.schema(kind.id, form)) : schemaRef('kind_unit_body');
  const many = form === 'create' && mayTakeMany(kind);
  const schema = many ? { anyOf: [unit, { type: 'array', items: unit, maxItems: LIMITS.bulk }] } : unit;
  if (!kind) return jsonBody(schema);
  const context = kindContext(view);
  const examples = form === 'create' ? namedExamples(kind, context) : undefined;
  return jsonBody(schema, examples ? { examples } : exampleOf(bodyExample(kind, context, form === 'create')));
}

/** Forms of bodies that are contents, or parts of them. */
const UPLOADS: ReadonlySet<DocumentedRoute['form']> = new Set(['upload', 'content', 'part']);

/** Whatever another service sends. */
const ANY_BYTES: RequestBody = { required: false, content: { '*/*': { schema: {} } } };

/** A content of any type, which the header says. */
const CONTENT: RequestBody = { required: true, content: { '*/*': { schema: BYTES_SCHEMA } } };

/** What an identity provider has a page post. */
const PROVIDER_ANSWER: RequestBody = {
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        properties: Object.fromEntries(ANSWER_NAMES.map((name) => [name, { type: 'string' }])),
        additionalProperties: true,
        description: 'Code and state, or error and state. Other values are ignored.',
      },
    },
  },
};

const FORM = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      values: { type: 'string', description: 'The values of the unit, as a JSON object; before the file.' },
      file: { ...BYTES_SCHEMA, description: 'The content. Its name is that of a new unit if none is given.' },
    },
  },
} as const;

/** A file, as text. */
const FILE = { schema: { type: 'string' } } as const;

/** Besides the credentials it has the same body as a create. */
function signUpRequestBody(kind: KindDef | undefined, view: DocumentView): RequestBody {
  const context = kindContext(view);
  const body = signUpBody(view.application.schemas, kind && createSchema(kind, context));
  return jsonBody(body, exampleOf(kind && signUpExample(kind, context)));
}

type Examples = Pick<RequestBody['content'][string], 'example' | 'examples'>;

function exampleOf(example: Schema | undefined): Examples {
  return example ? { example } : {};
}

function jsonBody(schema: Schema, examples: Examples = {}): RequestBody {
  return { required: true, content: { 'application/json': { schema, ...examples } } };
}

/** The end of the operation's id, and the schema of its body. No end ends in another. */
const OPERATIONS: ReadonlyMap<DocumentedRoute['form'], { readonly id: string; readonly body: LinkForm }> = new Map([
  ['newLink', { id: 'link', body: 'link_body' }],
  ['link', { id: 'link_update', body: 'link_changes' }],
  ['links', { id: 'link_many', body: 'links_body' }],
]);

const LINK_ID = parameterRef('link_id').$ref;

export function linkTypeOperations(route: DocumentedRoute, view: DocumentView): PlacedOperation[] {
  const special = OPERATIONS.get(route.form);
  if (!special || view.linkTypes.length === 0) return [];
  return sharedOperation(route, view).flatMap(({ path, method, operation }) =>
    view.linkTypes.map((type): PlacedOperation => {
      const name = (form: LinkForm) => schemaRef(view.names.linkSchema(type.id, form));
      const { requestBody, responses, parameters = [], summary } = operation;
      const record = name('link');
      const body = { 'application/json': { schema: name(special.body) } };
      return {
        path: path.replace('{link_id}', type.id),
        method,
        operation: {
          ...operation,
          operationId: view.names.linkOperation(type.id, special.id),
          summary: `${summary}, by '${type.id}'`,
          parameters: parameters.filter((each) => !('$ref' in each && each.$ref === LINK_ID)),
          requestBody: { required: requestBody?.required ?? true, content: body },
          responses: {
            ...responses,
            '200': withContent(responses['200'], route.content === 'links' ? pageSchema(record) : record),
          },
        },
      };
    }),
  );
}

function withContent(response: Response | Ref | undefined, content: Schema): Response {
  if (!response || '$ref' in response) throw new Error('an operation on links has no response of its own');
  return { ...response, content: { 'application/json': { schema: envelopeSchema(content) } } };
}

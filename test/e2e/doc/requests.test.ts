/**
 * Bodies and queries that are generated from the schemas are accepted, except for reasons that no schema can express.
 */
import { expect, it } from 'vitest';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, Schema } from '../../../src/doc/openapi/openapi.js';
import { QUERY_PARAMETERS } from '../../../src/doc/openapi/operation/query.parameters.js';
import type { ErrorCode } from '../../../src/shared/errors.js';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { PLACE, THING } from '../../support/every-type.js';
import { runs } from '../../support/runs.js';
import { SchemaValues } from '../../support/schema-values.js';
import { sharedService } from '../../support/service.js';
import { send } from '../../support/wire.js';

/** Of each body; more take longer than they find. */
const SAMPLES = runs(10);

const service = await sharedService();
const project = await withMembers(await service.project());
await defineKinds(project, PLACE, THING, {
  id: 'ruled',
  parameters: [
    { id: 'code', kind_id: 'string', is_primary: true, max_length: 20 },
    { id: 'size', kind_id: 'string', values: ['small', 'large'], required: true },
    { id: 'letters', kind_id: 'string', pattern: '^[A-Z]{2}[0-9]*$' },
    { id: 'word', kind_id: 'string', pattern: '(?i)^[a-z]+$' },
    { id: 'name', kind_id: 'text', strip: true, min_length: 2, max_length: 20, search: 'simple' },
    { id: 'amount', kind_id: 'integer', min_value: -5, max_value: 5, nullable: false, default_integer: 0 },
    { id: 'ratio', kind_id: 'float', min_value: 0, max_value: 0.5 },
    { id: 'price', kind_id: 'decimal', scale: 2, min_value: '0.5' },
    { id: 'shape', kind_id: 'json', nullable: false },
    { id: 'shapes', kind_id: 'json', multiple: true, unique: true },
    { id: 'cover', kind_id: 'binary', max_length: 4 },
    { id: 'at', kind_id: 'time', multiple: true },
    { id: 'tags', kind_id: 'string', multiple: true, unique: true, max_length: 3 },
    { id: 'at_place', kind_id: 'unit', reference_kind: 'place' },
    { id: 'like', kind_id: 'unit', reference_kind: 'ruled' },
    { id: 'stock', kind_id: 'integer', write_access: 'nobody' },
  ],
});
const place = await createdId(project.post('/place/unit', {}));
const thing = await createdId(project.post('/thing/unit', { a_string: 'a' }));
await ok(project.post('/ruled/unit', { code: 'a', size: 'small', shape: {} }));
await defineKinds(project, { id: 'spare', parameters: [{ id: 'spare_string', kind_id: 'string' }] });
await ok(project.post('/group/unit', { id: 'spares', kind_list: [] }));
await ok(project.post('/link/unit', { id: 'about' }));
const file = await createdId(project.post('/file/unit', { name: 'a', content: '' }));
const person = await signUp(project, 'ann');
const key = await makeKey(project);
const document = (await project.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
const values = new SchemaValues(document);

/** Whether a fault is one that no schema can foresee: of what is stored, of a rule between values, or one that is told in words. */
type Expected = (parameter: string, text: string, method: string) => boolean;
const always: Expected = () => true;
/** At these parameters, wherever they stand in the body. */
const at =
  (...names: string[]): Expected =>
  (parameter, text) =>
    names.includes(parameter.split('.').at(-1) ?? '') || names.some((name) => text.includes(`].${name}: `));
const any =
  (...all: Expected[]): Expected =>
  (...fault) =>
    all.some((each) => each(...fault));
/** What an edit only takes as it is stored. */
const inEdits: Expected = (_, __, method) => method === 'PUT';
/** A default is judged by the other fields of its definition, and so are the values that it allows. */
const inDefinitions: Expected = (parameter, text) =>
  /^default_|^values$/.test(parameter) || /\]\.(default_|values: )/.test(text);
/** Of expressions, whose results depend on what is stored. */
const ofResults: Expected = (parameter, _, method) =>
  method === 'PUT' && ['a_integer', 'a_float', 'a_decimal', 'amount', 'ratio', 'price'].includes(parameter);
const DECIMALS = ['a_decimal', 'some_decimal', 'price', 'min_value', 'max_value', 'default_decimal'];

const EXPECTED: ReadonlyMap<string, Expected> = new Map<ErrorCode, Expected>([
  // A uniqueness.
  ...(['unit.not_unique', 'parameter.not_unique', 'parameter.exists'] as const).map((code) => [code, always] as const),
  ...(['kind.exists', 'group.exists', 'link.exists', 'webhook.exists', 'provider.exists'] as const).map(
    (code) => [code, always] as const,
  ),
  // Values may be the same that are written in two ways: "1" and "1.0".
  ['parameter.duplicate', any(at('some_decimal', 'shapes', 'parameters'), inDefinitions)],
  // What is not there.
  ['unit.unknown', always],
  ['history.unknown', always],
  ['parameter.bad_reference', always],
  ['kind.bad_definition', always],
  ['group.bad_definition', always],
  ['kind.changes', at('changes')],
  // Where webhooks are sent.
  ['webhook.address', at('url')],
  ['webhook.too_many', always],
  // Where providers are, and whom they let in.
  ['provider.bad_issuer', at('issuer')],
  ['provider.too_many', always],
  ['provider.unknown', always],
  ['link.bad_definition', always],
  // The setting of the project, which is off.
  ['mail_sign_in.off', always],
  // What an operation of a batch names.
  ['route.unknown', always],
  ['unit.unknown', always],
  ['route.method', always],
  ['path.malformed', always],
  ['batch.bad_reference', always],
  // Paths of lists, and names that are there once.
  ['live.bad_query', (_, text) => text.includes(': path: ') || text.includes(' earlier query')],
  // A secret.
  ['signin.failed', always],
  ['proof.wrong', always],
  // Three mails an hour.
  ['request.throttled', (_, text) => text.includes('Too many attempts')],
  // Which of two proofs it is depends on what the member has set up.
  ['parameter.required', (_, text) => text.includes(': give ')],
  ['totp.missing', always],
  // A setting.
  ['passkey.not_set_up', always],
  ['token.invalid', always],
  // A rule between values.
  ['signup.mismatch', always],
  ['key.no_scope', at('scope')],
  ['parameter.bad_definition', always],
  ['parameter.bad_type', inDefinitions],
  ['identifier.missing', at('id')],
  ['parameter.read_only', any(inEdits, at('id'))],
  ['parameter.immutable', inEdits],
  ['parameter.write_once', inEdits],
  ['unit.changed', inEdits],
  ['unit.key_immutable', inEdits],
  // Another language: of filters, or of patterns.
  ...(['syntax', 'unknown_parameter', 'unknown_operator', 'bad_operator', 'bad_value'] as const).map(
    (reason) => [`filter.${reason}`, at('access', 'filter')] as const,
  ),
  ['parameter.bad_pattern', at('pattern')],
  // Told in words: operations on parameters, patterns of another dialect, texts of which white space is removed, bytes, digits, names of members.
  ['parameter.pattern_mismatch', any(at('word'), inDefinitions)],
  ['parameter.too_short', any(at('name', 'username', 'email', 'label', 'client_id', 'client_secret'), inDefinitions)],
  ['parameter.too_long', any(at('name', 'cover', 'username', 'email'), inDefinitions)],
  ['parameter.too_small', any(at('price'), inDefinitions, ofResults)],
  ['parameter.too_large', any(inDefinitions, ofResults)],
  ['parameter.not_allowed', any(at('operation'), inDefinitions)],
  [
    'parameter.bad_value',
    any(
      // Of proofs that do not go together.
      (_, text) => text.includes(': it stands alone'),
      at(
        'username',
        'email',
        'expires_at',
        'scope',
        'member',
        'name',
        'kinds',
        'filter',
        'headers',
        'client_id',
        'client_secret',
        'scopes',
        'member_kind',
        'claims',
        'from',
        ...DECIMALS,
      ),
      inDefinitions,
      ofResults,
    ),
  ],
]);

/** A unit to edit, by the path. */
const UNITS: Readonly<Record<string, string>> = {
  place,
  thing,
  ruled: 'a',
  kind: 'spare',
  group: 'spares',
  link: 'about',
  string: 'spare_string',
  person: person.id,
  file,
  api_key: key.id,
};

interface Call {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly operation: OpenApiOperation;
}

const CALLS = Object.entries(document.paths).flatMap(([template, item]) =>
  Object.entries(item).flatMap(([method, operation]): Call[] => {
    // Files are no JSON: test/e2e/transfer/import.test.ts.
    if (!operation.requestBody?.content['application/json'] || template.includes('/function/')) return [];
    // It is of agents: test/e2e/agent/agent.test.ts.
    if (template === '/api/lib/mcp') return [];
    // A whole model file would take all of this away: test/e2e/model/model-api.test.ts.
    if (template.startsWith('/api/lib/model/')) return [];
    // The body of a link has the parameters of its type: test/e2e/links/values.test.ts.
    if (template.includes('/link/{link_id}/')) return [];
    const [, kind = ''] = /^\/api\/lib\/(\w+)\/unit\/\{\w+\}$/.exec(template) ?? [];
    const unit = UNITS[kind];
    if (method === 'put' && unit === undefined) return [];
    const path = template
      .replace('/api/lib', '')
      .replace('{kind_id}', 'place')
      .replace(/\{\w+\}/, unit ?? 'none');
    return [{ name: `${method.toUpperCase()} ${path}`, method: method === 'put' ? 'PUT' : 'POST', path, operation }];
  }),
);

const headers = {
  'kind-project-key': project.id,
  authorization: `Bearer ${project.token ?? ''}`,
  'content-type': 'application/json',
};

it.each(CALLS.map((call) => [call.name, call] as const))('%s', { timeout: 60_000 }, async (_, call) => {
  const { schema } = (call.operation.requestBody?.content['application/json'] ?? {}) as { schema: Schema };
  const unexpected: unknown[] = [];
  for (const body of values.sample(schema, SAMPLES)) {
    // On a connection of its own: to make the bodies takes longer than an idle one is kept.
    const { status, body: reply } = await send(service.service, {
      ...call,
      path: `/api/lib${call.path}`,
      headers,
      body: JSON.stringify(body),
    });
    if (status === 200) continue;
    const faults = reply.messages.filter(({ code, parameter = '', text }) => {
      return EXPECTED.get(code)?.(parameter, text, call.method) !== true;
    });
    if (faults.length > 0) unexpected.push({ faults, body: JSON.stringify(body).slice(0, 600) });
  }
  expect(unexpected).toEqual([]);
});

/** Of a sign-in with an identity provider that is not there. */
function startWithout(name?: string): string {
  const all = { redirect_to: 'https://example.com/', code_challenge: 'a'.repeat(43), state: 'a' };
  const query = new URLSearchParams(Object.entries(all).filter(([key]) => key !== name));
  return `/project/${project.id}/provider/none?${query.toString()}`;
}

/** What is asked with each query parameter, where that is not a list, and what is expected of it: names of what is not there, and other languages. */
const QUERIES: Partial<Record<keyof typeof QUERY_PARAMETERS, readonly [path: string, ...expected: ErrorCode[]]>> = {
  order: ['/ruled/unit', 'parameter.unknown', 'query.bad_value'],
  search: ['/ruled/unit', 'query.bad_value'],
  include: ['/ruled/unit', 'parameter.unknown', 'query.bad_value'],
  exclude: ['/ruled/unit', 'parameter.unknown'],
  filter: ['/ruled/unit', 'filter.syntax', 'filter.unknown_operator'],
  cursor: ['/ruled/unit', 'query.bad_value'],
  kinds: ['/doc/openapi.json', 'query.bad_value'],
  recorded_kinds: ['/changes', 'kind.unknown', 'query.bad_value'],
  recorded_limit: ['/changes?kinds=kind&since='],
  operations: ['/changes?kinds=kind'],
  since: ['/changes?kinds=kind', 'query.bad_value', 'changes.resync'],
  wait: ['/changes?kinds=kind&since='],
  as: ['/doc/client.ts', 'query.bad_value'],
  as_of: ['/kind/unit/ruled', 'query.bad_value', 'history.not_kept'],
  member: [`/place/unit/${place}/access`, 'query.bad_value'],
  child_kind: [`/place/unit/${place}/access?child_id=${place}`, 'kind.unknown'],
  child_id: [`/place/unit/${place}/access?child_kind=place`, 'unit.unknown'],
  link_ids: [`/place/unit/${place}/link/child`, 'link.unknown'],
  kind_ids: [`/place/unit/${place}/link/child`, 'kind.unknown'],
  loaded_link_ids: [`/place/unit/${place}?load_links=true`, 'link.unknown'],
  loaded_kind_ids: [`/place/unit/${place}?load_links=true`, 'kind.unknown'],
  function_kind_ids: ['/function'],
  loaded_direction: [`/place/unit/${place}?load_links=true`],
  include_linked: [`/place/unit/${place}?load_links=true`, 'parameter.unknown'],
  to_kind: [`/place/unit/${place}/link/path?to_id=${place}`, 'kind.unknown'],
  to_id: [`/place/unit/${place}/link/path?to_kind=place`, 'unit.unknown'],
  path_depth: [`/place/unit/${place}/link/path?to_kind=place&to_id=${place}`],
  path_direction: [`/place/unit/${place}/link/path?to_kind=place&to_id=${place}`],
  select: ['/ruled/aggregate', 'filter.syntax', 'filter.unknown_operator'],
  group: ['/ruled/aggregate', 'filter.syntax', 'filter.unknown_operator', 'parameter.unknown'],
  having: ['/ruled/aggregate', 'filter.syntax', 'filter.unknown_operator', 'query.bad_value'],
  timezone: ['/ruled/aggregate', 'query.bad_value'],
  cascade: ['/ruled/unit/none', 'unit.unknown'],
  format: ['/ruled/export'],
  safe: ['/ruled/export'],
  errors: ['/ruled/import', 'body.not_json'],
  ids: ['/ruled/import', 'body.not_json'],
  dry_run: ['/ruled/unit/none', 'unit.unknown'],
  matching_filter: ['/ruled/unit', 'filter.syntax', 'filter.unknown_operator'],
  max_affected: ['/ruled/unit?filter=not(all())'],
  allow_loss: ['/model/apply', 'model.bad_file'],
  allow_open: ['/model/apply', 'model.bad_file'],
  on_conflict: ['/ruled/unit?by=code'],
  by: ['/ruled/unit?on_conflict=ignore', 'parameter.unknown', 'query.bad_value'],
  name: ['/file/unit', 'parameter.bad_value'],
  values: ['/file/unit?name=a', 'query.bad_value'],
  download: [`/file/unit/${file}/content`],
  size: [`/file/unit/${file}/content`, 'query.bad_value', 'file.no_image'],
  image_format: [`/file/unit/${file}/content?size=thumb`, 'file.no_image'],
  expires: [`/project/${project.id}/file/${file}?signature=x`, 'file.bad_signature'],
  signature: [`/project/${project.id}/file/${file}?expires=1`, 'file.bad_signature'],
  redirect_to: [startWithout('redirect_to'), 'provider.unknown'],
  code_challenge: [startWithout('code_challenge'), 'provider.unknown'],
  state: [startWithout('state'), 'provider.unknown'],
  link: [startWithout(), 'provider.unknown'],
  login_hint: [startWithout(), 'provider.unknown'],
  prompt: [startWithout(), 'provider.unknown'],
};

const METHODS: Partial<Record<keyof typeof QUERY_PARAMETERS, 'DELETE' | 'POST'>> = {
  cascade: 'DELETE',
  dry_run: 'DELETE',
  max_affected: 'DELETE',
  allow_loss: 'POST',
  allow_open: 'POST',
  on_conflict: 'POST',
  by: 'POST',
  errors: 'POST',
  ids: 'POST',
  name: 'POST',
  values: 'POST',
};

/** Lists have their name repeated, or commas. */
function queryOf({ name, explode = true }: OpenApiParameter, value: unknown): string {
  const texts = [value].flat().map((each) => encodeURIComponent(String(each)));
  return explode ? texts.map((text) => `${name}=${text}`).join('&') : `${name}=${texts.join(',')}`;
}

it.each(Object.entries<OpenApiParameter>(QUERY_PARAMETERS))('?%s', async (key, parameter) => {
  const [path, ...expected] = QUERIES[key as keyof typeof QUERY_PARAMETERS] ?? ['/ruled/unit'];
  const method = METHODS[key as keyof typeof QUERY_PARAMETERS] ?? 'GET';
  const unexpected: unknown[] = [];
  for (const value of values.sample(parameter.schema, SAMPLES)) {
    const request = {
      method,
      path: `/api/lib${path}${path.includes('?') ? '&' : '?'}${queryOf(parameter, value)}`,
      headers,
      ...(method === 'POST' && { body: '[]' }),
    };
    const { status, body } = await send(service.service, request);
    if (status === 200 || body.messages.every(({ code }) => expected.includes(code as ErrorCode))) continue;
    unexpected.push({ value, faults: body.messages });
  }
  expect(unexpected).toEqual([]);
});

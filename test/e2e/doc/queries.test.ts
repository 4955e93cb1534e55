/** Every operation accepts exactly the query parameters that the document lists. */
import { expect, it } from 'vitest';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../../../src/doc/openapi/openapi.js';
import { queryComponent, QUERY_PARAMETERS } from '../../../src/doc/openapi/operation/query.parameters.js';
import { defineKinds, withMembers } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { send } from '../../support/wire.js';

const folder = new FunctionsFolder({
  'far.ts': `
    import { kind } from 'kind';
    export default kind('far').module({
      remote: { list: () => ({ count: 0, items: [] }), get: (id) => ({ id }), update: (id) => ({ id }), delete: () => true },
    });`,
  'note.ts': `
    import { kind } from 'kind';
    export default kind('note').module({ functions: { greet: kind('note').function({ description: 'Greets', run: () => 'hello' }) } });`,
});
const service = await sharedServiceWith(folder);
const project = await withMembers(await service.project());
await defineKinds(
  project,
  { id: 'note', label: 'Note', parameters: [{ id: 'title', kind_id: 'string', search: 'simple' }] },
  { id: 'far', label: 'Far', remote: true, parameters: [{ id: 'key', kind_id: 'string', is_primary: true }] },
);
await ok(project.post('/group/unit', { id: 'notes', kind_list: ['note'] }));
await ok(project.post('/link/unit', { id: 'about', label: 'About' }));
const note = await createdId(project.post('/note/unit', { title: 'a' }));
const file = await createdId(project.post('/file/unit', { name: 'a', content: '' }));
const { items: members } = (await ok(project.get('/kind_admin/unit'))) as {
  items: { id: string; kind_system_user: string }[];
};
const { id: person, kind_system_user: account } = (await ok(
  project.post('/person/unit', { username: 'p', email: 'p@example.com' }),
)) as { id: string; kind_system_user: string };

/** A unit of each kind whose operations are tried. */
const UNITS = new Map(
  Object.entries({
    note,
    far: 'x',
    kind: 'note',
    group: 'notes',
    link: 'about',
    string: 'title',
    file,
    kind_admin: members[0]?.id ?? '',
    person,
  }),
);
const ARGS = new Map(
  Object.entries({
    group_id: 'notes',
    direction: 'child',
    link_id: 'about',
    child_kind_id: 'note',
    child_unit_id: note,
    function_name: 'greet',
    parameter_type_id: 'string',
    unique_parameter: 'kind_system_user',
    parameter_id: 'title',
    project_id: project.id,
    token: 'x',
    asset: 'page.js',
  }),
);
/** Whatever is asked for by these, nothing is looked at. */
const ANY = [
  'doc.page',
  'doc.asset',
  'auth.reset_page',
  'auth.verify_page',
  'auth.asset',
  'provider.callback',
  'provider.posted_callback',
  'health.live',
  'health.ready',
  'metrics',
];
/** Its query says what the body is: test/e2e/files/upload.test.ts. */
const UPLOAD = /^file\.create /;
/** These refuse before: the one wants a refresh token, the other one of a mail. */
const BEFORE = ['auth.refresh', 'auth.refresh_by_post', 'auth.reset_password'];

const document = (await project.get('/doc/openapi.json')).body as unknown as OpenApiDocument;

function pathOf(template: string): string | undefined {
  const [, kind = ''] = /^\/api\/lib\/(\w+)\//.exec(template) ?? [];
  const isOfKind =
    !['auth', 'doc', 'model'].includes(kind) &&
    !/^\/api\/lib\/project\/\{project_id\}\/(?:file|provider)\//.test(template) &&
    template !== '/api/lib/changes' &&
    !template.startsWith('/api/lib/group/{');
  if (isOfKind && template.startsWith('/api/') && !UNITS.has(kind)) return undefined;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const own =
      /^(unit|parent_unit)_id$/.test(name) ||
      (name === 'group_id' && kind === 'group') ||
      (name === 'kind_id' && kind === 'kind');
    if (name === 'kind_id' && kind === 'group') return 'note';
    if (name === 'value') return kind === 'person' ? account : (members[0]?.kind_system_user ?? '');
    if (template.startsWith('/api/lib/group/{')) return name === 'unit_id' ? note : 'notes';
    return (own ? UNITS.get(kind) : undefined) ?? ARGS.get(name) ?? name;
  });
}

interface Case {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: boolean;
  readonly takes: readonly string[];
}

/** The path of every kind, for one that stands once for all that have it. */
function everyPath(template: string, { parameters }: OpenApiOperation): string[] {
  const [first] = parameters ?? [];
  const kinds = first && 'schema' in first ? (first.schema['enum'] as string[]) : undefined;
  return kinds?.map((kind) => template.replace(/\{\w+\}/, kind)) ?? [template];
}

const PATHS = Object.entries(document.paths).flatMap(([template, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    everyPath(template, operation).map((path) => [path, method, operation] as const),
  ),
);

const CASES = PATHS.flatMap(([template, method, operation]): Case[] => {
  const path = pathOf(template);
  const { operationId: id = '', parameters = [], requestBody } = operation;
  if (
    path === undefined ||
    ANY.includes(id) ||
    BEFORE.includes(id) ||
    // Its refusals have no body.
    method === 'head' ||
    (method === 'get' && template.includes('/function/'))
  )
    return [];
  const takes = parameters.flatMap((given) => {
    const named = given as { $ref?: string } & Partial<OpenApiParameter>;
    const found = named.$ref === undefined ? named : document.components.parameters[named.$ref.split('/').at(-1) ?? ''];
    return found?.in === 'query' ? [found.name ?? ''] : [];
  });
  return [{ id: `${id} ${path}`, method: method.toUpperCase(), path, body: requestBody !== undefined, takes }];
});

it('many operations are tried', () => {
  expect(CASES.length).toBeGreaterThan(60);
  expect(new Set(CASES.flatMap(({ takes }) => takes)).size).toBe(
    new Set(Object.values(QUERY_PARAMETERS).map(({ name }) => name)).size,
  );
});

const NAMES = [...new Set(Object.values(QUERY_PARAMETERS).map(({ name }) => name)), 'x'];

it.each(CASES.filter(({ id }) => !UPLOAD.test(id)).map((each) => [each.id, each] as const))(
  '%s',
  async (_, { method, path, body, takes }) => {
    // A value that none of them takes, so that nothing is done.
    const ask = (names: readonly string[]) =>
      send(service.service, {
        method,
        path: `${path}?${names.map((name) => `${name}=@;@%00`).join('&')}`,
        headers: {
          'kind-project-key': project.id,
          authorization: `Bearer ${project.token ?? ''}`,
          'tus-resumable': '1.0.0',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: '{}' }),
      });
    for (const name of takes) {
      const { status, text } = await ask([name]);
      expect(text).not.toContain('"code":"query.unknown"');
      expect(status, text).toBeGreaterThanOrEqual(400);
    }
    const others = NAMES.filter((name) => !takes.includes(name));
    // For a dry run the storage of the kind decides, before the others are looked at.
    const [early, late] = [others.filter((name) => name === 'dry_run'), others.filter((name) => name !== 'dry_run')];
    for (const some of [early, late].filter(({ length }) => length > 0)) {
      const { status, messages } = refusalOf(await ask(some));
      expect(status).toBe(400);
      // What an operation needs and did not get is told besides.
      const unknown = messages.filter((each) => each.startsWith('query.unknown '));
      expect(unknown.sort()).toEqual(some.map((name) => `query.unknown ${name}`).sort());
    }
  },
);

/** An operation that takes the component, by the first word of its name. */
const ROUTES = new Map([
  ['path', 'path'],
  ['loaded', 'list'],
  ['matching', 'updateAll'],
  ['function', 'functions'],
  ['recorded', 'changes'],
  ['image', 'content'],
]);

it('the names of components are those of the document', () => {
  for (const [component, { name }] of Object.entries(QUERY_PARAMETERS)) {
    const [prefix] = component.split('_');
    const route = ROUTES.get(prefix ?? '') ?? 'linked';
    expect(queryComponent(name as never, route)).toBe(component);
  }
});

/**
 * The census of routes: what the running application serves is this table, and every route of it
 * answers everybody as it says. A new route fails here until it has a row.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { getOrInsert } from '../../../src/shared/maps.js';
import { anonymous, defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { makeKey } from '../../support/keys.js';
import { expectWellFormed } from '../../support/scenario.js';
import type { CallOptions, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'note.ts': `
    import { kind } from 'kind';
    const note = kind('note');
    export default note.module({
      functions: {
        greet: note.function({ description: 'Greets', run: () => 'hello' }),
        tidy: note.function({ description: 'Tidies', schedule: '0 0 1 1 *', run: () => undefined }),
      },
      endpoints: { ping: note.endpoint({ methods: ['GET', 'POST', 'PUT', 'DELETE'], run: () => ({ body: 'pong' }) }) },
      unitFunctions: { title: note.unitFunction({ description: 'Its title', run: ({ unit }) => unit.title }) },
    });`,
});
const service = await sharedServiceWith(folder);
const own = 'eq(owner,@member.id)';

/** Two projects that are alike to the last id that one can choose. */
async function makeProject(): Promise<{ admin: TestProject; ann: string; guest: string }> {
  const admin = await service.project();
  await defineKinds(admin, { id: 'person' }, { id: 'guest' });
  await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'guest'] }));
  await defineKinds(admin, {
    id: 'note',
    parameters: [
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'title', kind_id: 'string' },
    ],
    access: { read: own, create: own, update: own, delete: own, link: own },
    changes: 'history',
  });
  await ok(admin.post('/group/unit', { id: 'notes', kind_list: ['note'] }));
  const member = (kind: string) =>
    createdId(admin.post(`/${kind}/unit`, { username: kind, email: `${kind}@example.com` }));
  return { admin, ann: await member('person'), guest: await member('guest') };
}
const [here, there] = [await makeProject(), await makeProject()];

interface Units {
  /** Ann's, which no call before has changed. */
  readonly note: string;
  readonly other: string;
  readonly file: string;
}
type Status = number | readonly number[];

interface Row {
  /** As the router has it; several methods where they are answered alike. */
  readonly route: string;
  readonly call: (units: Units) => readonly [method: string, path: string, body?: unknown];
  /** Without a token, as a member whose units they are, as a member of another kind, as an administrator. */
  readonly answers: readonly [nobody: Status, ann: Status, guest: Status, admin: Status];
  /** As an administrator by an API key whose scope allows nothing; 403 if left out. */
  readonly keyed?: Status;
  /** Not of a project: the same for all. */
  readonly open?: true;
  /** What it answers is in no envelope. */
  readonly bare?: true;
  /** It takes no token: what the header holds changes nothing. */
  readonly tokenless?: true;
  /** Its path names the project: the header of it is not read. */
  readonly projectInPath?: true;
  /** Its query is not looked at: who asks is a browser, a probe, or is refused before. */
  readonly anyQuery?: true;
}

/** Tests do not need the console, so it may be built or not. */
const BUILT: Status = [200, 404];

const noted = (units: Units) => ({ note: `/note/unit/${units.note}`, link: `/link/link/note/unit/${units.other}` });
const ROWS: readonly Row[] = [
  ...['/health/live', '/health/ready', '/metrics'].map((path): Row => ({
    route: `GET ${path}`,
    call: () => ['GET', `^${path}`],
    answers: [200, 200, 200, 200],
    open: true,
    anyQuery: true,
  })),
  ...['', '/:asset'].map((path): Row => ({
    route: `GET /api/lib/doc/swaggerui${path}`,
    call: () => ['GET', `^/api/lib/doc/swaggerui${path.replace(':asset', 'page.js')}`],
    answers: [200, 200, 200, 200],
    open: true,
    anyQuery: true,
  })),
  ...['', '/{*rest}'].map((path): Row => ({
    route: `GET /console${path}`,
    call: () => ['GET', '^/console/'],
    answers: [BUILT, BUILT, BUILT, BUILT],
    open: true,
    anyQuery: true,
  })),
  {
    route: 'GET /console/assets/:name',
    call: () => ['GET', '^/console/assets/none.js'],
    answers: [404, 404, 404, 404],
    open: true,
    anyQuery: true,
  },
  {
    route: 'GET /api/lib/auth/page/:asset',
    call: () => ['GET', '^/api/lib/auth/page/reset.js'],
    answers: [200, 200, 200, 200],
    open: true,
    anyQuery: true,
  },
  {
    route: 'GET /api/lib/project/:project_id/verify',
    call: () => ['GET', '^/api/lib/project/demo/verify'],
    answers: [200, 200, 200, 200],
    open: true,
    anyQuery: true,
  },
  {
    // A page, but for browsers alone.
    route: 'GET /api/lib/auth/reset_password/:token',
    call: () => ['GET', '/auth/reset_password/unknown'],
    answers: [405, 405, 405, 405],
    keyed: 405,
    anyQuery: true,
  },
  {
    route: 'GET /api/lib/doc/openapi.json',
    call: () => ['GET', '/doc/openapi.json'],
    answers: [200, 200, 200, 200],
    keyed: 200,
    bare: true,
  },
  {
    route: 'GET /api/lib/doc/client.ts',
    call: () => ['GET', '/doc/client.ts'],
    answers: [200, 200, 200, 200],
    keyed: 200,
  },
  {
    route: 'POST /api/lib/auth/:member_kind_id/signup',
    call: () => ['POST', '/auth/person/signup', {}],
    answers: [400, 400, 400, 400],
    tokenless: true,
  },
  {
    route: 'POST /api/lib/auth/signin',
    call: () => ['POST', '/auth/signin', {}],
    answers: [400, 400, 400, 400],
    tokenless: true,
  },
  ...['GET', 'POST'].flatMap((method): Row[] => [
    {
      route: `${method} /api/lib/auth/verify`,
      call: () => [method, '/auth/verify'],
      answers: [401, 200, 200, 200],
      keyed: 200,
    },
    {
      route: `${method} /api/lib/auth/refresh`,
      call: () => [method, '/auth/refresh'],
      answers: [401, 401, 401, 401],
      keyed: 401,
      anyQuery: true,
    },
  ]),
  { route: 'GET /api/lib/metrics', call: () => ['GET', '/metrics'], answers: [401, 403, 403, 200] },
  { route: 'GET /api/lib/auth/me', call: () => ['GET', '/auth/me'], answers: [401, 200, 200, 200], keyed: 200 },
  { route: 'GET /api/lib/auth/rights', call: () => ['GET', '/auth/rights'], answers: [401, 200, 200, 200], keyed: 200 },
  { route: 'GET /api/lib/auth/session', call: () => ['GET', '/auth/session'], answers: [401, 200, 200, 200] },
  {
    route: 'DELETE /api/lib/auth/session/:session_id',
    call: () => ['DELETE', '/auth/session/00000000-0000-4000-8000-000000000000'],
    answers: [401, 404, 404, 404],
  },
  { route: 'GET /api/lib/auth/mail', call: () => ['GET', '/auth/mail'], answers: [401, 403, 403, 200] },
  ...['GET', 'DELETE'].map((method): Row => ({
    route: `${method} /api/lib/auth/member/:member_id/session`,
    call: () => [method, '/auth/member/00000000-0000-4000-8000-000000000000/session'],
    answers: [401, 403, 403, 404],
  })),
  {
    route: 'DELETE /api/lib/auth/member/:member_id/session/:session_id',
    call: () => ['DELETE', '/auth/member/00000000-0000-4000-8000-000000000000/session/x'],
    answers: [401, 403, 403, 404],
  },
  { route: 'GET /api/lib/auth/second_step', call: () => ['GET', '/auth/second_step'], answers: [401, 200, 200, 200] },
  {
    route: 'POST /api/lib/auth/totp/confirm',
    call: () => ['POST', '/auth/totp/confirm', { code: '1' }],
    answers: [401, 409, 409, 409],
  },
  { route: 'POST /api/lib/auth/totp', call: () => ['POST', '/auth/totp', {}], answers: [401, 200, 200, 200] },
  { route: 'DELETE /api/lib/auth/totp', call: () => ['DELETE', '/auth/totp'], answers: [401, 409, 409, 409] },
  {
    route: 'POST /api/lib/auth/recovery_codes',
    call: () => ['POST', '/auth/recovery_codes', {}],
    answers: [401, 409, 409, 409],
  },
  { route: 'POST /api/lib/auth/confirm', call: () => ['POST', '/auth/confirm', {}], answers: [401, 400, 400, 400] },
  ...['options', ''].map((last): Row => ({
    route: `POST /api/lib/auth/passkey${last && `/${last}`}`,
    call: () => ['POST', `/auth/passkey${last && `/${last}`}`, {}],
    answers: [401, 400, 400, 400],
  })),
  ...['options', ''].map((last): Row => ({
    route: `POST /api/lib/auth/passkey/signin${last && `/${last}`}`,
    call: () => ['POST', `/auth/passkey/signin${last && `/${last}`}`, {}],
    answers: [400, 400, 400, 400],
    tokenless: true,
  })),
  {
    route: 'POST /api/lib/auth/exchange',
    call: () => ['POST', '/auth/exchange', { code: 'a', code_verifier: 'b' }],
    answers: [401, 401, 401, 401],
    keyed: 401,
  },
  {
    route: 'POST /api/lib/auth/identity/link',
    call: () => ['POST', '/auth/identity/link', {}],
    answers: [401, 400, 400, 400],
  },
  {
    route: 'POST /api/lib/auth/verify_email',
    call: () => ['POST', '/auth/verify_email', { code: '1' }],
    answers: [401, 400, 400, 400],
  },
  {
    route: 'POST /api/lib/auth/verify_email/mail',
    call: () => ['POST', '/auth/verify_email/mail', {}],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'POST /api/lib/auth/email',
    call: () => ['POST', '/auth/email', { email: 'none' }],
    answers: [401, 400, 400, 400],
  },
  {
    route: 'DELETE /api/lib/:kind_id/unit/:unit_id/second_step',
    call: () => ['DELETE', '/person/unit/00000000-0000-4000-8000-000000000000/second_step'],
    answers: [401, 403, 403, 404],
  },
  { route: 'POST /api/lib/auth/signout', call: () => ['POST', '/auth/signout'], answers: [401, 200, 200, 200] },
  {
    route: 'POST /api/lib/auth/change_password',
    call: () => ['POST', '/auth/change_password', {}],
    answers: [401, 400, 400, 400],
  },
  {
    route: 'GET /api/lib/auth/ways',
    call: () => ['GET', '/auth/ways'],
    answers: [200, 200, 200, 200],
    tokenless: true,
  },
  {
    route: 'POST /api/lib/auth/code',
    call: () => ['POST', '/auth/code', { email: 'a@example.com' }],
    answers: [400, 400, 400, 400],
    tokenless: true,
  },
  {
    route: 'POST /api/lib/auth/code/signin',
    call: () => ['POST', '/auth/code/signin', { email: 'a@example.com', code: '12345678' }],
    answers: [400, 400, 400, 400],
    tokenless: true,
  },
  {
    route: 'POST /api/lib/auth/recover_password',
    call: () => ['POST', '/auth/recover_password', {}],
    answers: [400, 400, 400, 400],
    tokenless: true,
  },
  {
    route: 'POST /api/lib/auth/reset_password/:token',
    call: () => ['POST', '/auth/reset_password/x', {}],
    answers: [401, 401, 401, 401],
    tokenless: true,
    anyQuery: true,
  },
  {
    route: 'POST /api/lib/batch',
    call: () => ['POST', '/batch', { operations: [] }],
    answers: [200, 200, 200, 200],
    keyed: 200,
  },
  { route: 'GET /api/lib/kind/access', call: () => ['GET', '/kind/access'], answers: [401, 403, 403, 200] },
  {
    route: 'POST /api/lib/:kind_id/access/preview',
    call: () => ['POST', '/note/access/preview', { operation: 'read', access: 'anyone' }],
    answers: [401, 403, 403, 200],
  },
  { route: 'GET /api/lib/kind/struct', call: () => ['GET', '/kind/struct'], answers: [401, 200, 200, 200] },
  {
    route: 'GET /api/lib/group/:group_id/struct',
    call: () => ['GET', '/group/notes/struct'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/group/:group_id/kind',
    call: () => ['GET', '/group/notes/kind'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/group/:group_id/unit',
    call: () => ['GET', '/group/notes/unit'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/group/:group_id/aggregate',
    call: () => ['GET', '/group/notes/aggregate?select=count()'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/group/:group_id/unit/:unit_id',
    call: ({ note }) => ['GET', `/group/notes/unit/${note}`],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'POST /api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:child_kind_id/unit/:child_unit_id',
    call: (units) => ['POST', `${noted(units).note}${noted(units).link}`],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'DELETE /api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:child_kind_id/unit/:child_unit_id',
    call: (units) => ['DELETE', `${noted(units).note}${noted(units).link}`],
    // There is none to delete, which only those learn who could delete one.
    answers: [401, 404, 404, 404],
  },
  {
    route: 'PUT /api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:child_kind_id/unit/:child_unit_id',
    call: (units) => ['PUT', `${noted(units).note}${noted(units).link}`, {}],
    answers: [401, 404, 404, 404],
  },
  {
    route: 'GET /api/lib/:parent_kind_id/unit/:parent_unit_id/link/path',
    call: ({ note }) => ['GET', `/note/unit/${note}/link/path?to_kind=note&to_id=${note}`],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'POST /api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:direction',
    call: (units) => [
      'POST',
      `${noted(units).note}/link/link/child`,
      { items: [{ kind_id: 'note', id: units.other }] },
    ],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'GET /api/lib/:parent_kind_id/unit/:parent_unit_id/link/:direction',
    call: (units) => ['GET', `${noted(units).note}/link/child`],
    answers: [401, 200, 404, 200],
  },
  { route: 'GET /api/lib/:kind_id/unit', call: () => ['GET', '/note/unit'], answers: [401, 200, 200, 200] },
  {
    route: 'GET /api/lib/:kind_id/aggregate',
    call: () => ['GET', '/note/aggregate?select=count()'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/:kind_id/export',
    call: () => ['GET', '/note/export'],
    answers: [401, 200, 200, 200],
    bare: true,
  },
  {
    // The body is JSON here, which is no file.
    route: 'POST /api/lib/:kind_id/import',
    call: () => ['POST', '/note/import', {}],
    answers: [401, 415, 415, 415],
  },
  {
    route: 'GET /api/lib/:kind_id/unit/:unit_id',
    call: (units) => ['GET', noted(units).note],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'GET /api/lib/:kind_id/by/:unique_parameter/:value',
    call: (units) => ['GET', noted(units).note.replace('/unit/', '/by/id/')],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'POST /api/lib/:kind_id/unit',
    call: () => ['POST', '/note/unit', { owner: here.ann }],
    answers: [401, 200, 403, 200],
  },
  {
    route: 'PUT /api/lib/:kind_id/unit',
    call: () => ['PUT', '/note/unit?filter=all()', { title: 'x' }],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'DELETE /api/lib/:kind_id/unit',
    call: () => ['DELETE', '/note/unit?filter=eq(title,none)'],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'PUT /api/lib/:kind_id/unit/:unit_id',
    call: (units) => ['PUT', noted(units).note, { title: 'x' }],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'DELETE /api/lib/:kind_id/unit/:unit_id',
    call: (units) => ['DELETE', noted(units).note],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'POST /api/lib/file/unit',
    call: () => ['POST', '/file/unit', { name: 'a.txt', content: '' }],
    answers: [401, 200, 200, 200],
  },
  {
    route: 'GET /api/lib/file/unit/:unit_id/content',
    call: ({ file }) => ['GET', `/file/unit/${file}/content`],
    // The kind is public, and this is one of the files that nobody else may read.
    answers: [404, 200, 404, 200],
    bare: true,
  },
  {
    route: 'PUT /api/lib/file/unit/:unit_id/content',
    call: ({ file }) => ['PUT', `/file/unit/${file}/content`, {}],
    answers: [401, 200, 404, 200],
  },
  ...[
    'POST /api/lib/file/upload',
    ...['HEAD', 'PATCH', 'DELETE', 'POST'].map((each) => `${each} /api/lib/file/upload/:upload_id`),
  ].map((route): Row => ({
    // Its headers are those of tus, which are looked at first.
    route,
    call: () => [route.split(' ', 1)[0] ?? '', `/file/upload${route.endsWith('upload') ? '' : '/x'}`],
    answers: [412, 412, 412, 412],
    keyed: 412,
    open: true,
    bare: true,
    anyQuery: true,
  })),
  { route: 'GET /api/lib/:kind_id/struct', call: () => ['GET', '/note/struct'], answers: [401, 200, 200, 200] },
  {
    route: 'GET /api/lib/:kind_id/unit/:unit_id/struct',
    call: (units) => ['GET', `${noted(units).note}/struct`],
    answers: [401, 200, 404, 200],
  },
  {
    route: 'GET /api/lib/:kind_id/unit/:unit_id/access',
    call: (units) => ['GET', `${noted(units).note}/access`],
    answers: [401, 403, [403, 404], 200],
  },
  ...['GET', 'POST'].flatMap((method): Row[] => [
    {
      route: `${method} /api/lib/:kind_id/function/:function_name`,
      call: () => [method, '/note/function/greet'],
      answers: [401, 200, 200, 200],
    },
    {
      route: `${method} /api/lib/:kind_id/unit/:unit_id/function/:function_name`,
      call: (units) => [method, `${noted(units).note}/function/title`],
      answers: [401, 200, 404, 200],
    },
  ]),
  ...['GET', 'POST', 'PUT', 'DELETE'].map((method): Row => ({
    route: `${method} /api/lib/project/:project_id/hook/:kind_id/:endpoint_name`,
    call: () => [method, `/project/${here.admin.id}/hook/note/ping`],
    answers: [200, 200, 200, 200],
    // It reads neither the header of the project nor a token.
    open: true,
    bare: true,
    anyQuery: true,
  })),
  {
    route: 'ALL /api/lib/project/:project_id/hook/*path',
    call: () => ['PATCH', `/project/${here.admin.id}/hook/note/ping`],
    answers: [405, 405, 405, 405],
    open: true,
    bare: true,
    anyQuery: true,
  },
  { route: 'GET /api/lib/settings', call: () => ['GET', '/settings'], answers: [401, 403, 403, 200] },
  { route: 'PUT /api/lib/settings', call: () => ['PUT', '/settings', {}], answers: [401, 403, 403, 200] },
  { route: 'GET /api/lib/model', call: () => ['GET', '/model'], answers: [401, 403, 403, 200] },
  {
    route: 'GET /api/lib/model/schema.json',
    call: () => ['GET', '/model/schema.json'],
    answers: [200, 200, 200, 200],
    open: true,
    bare: true,
  },
  ...(['plan', 'apply'] as const).map((path): Row => ({
    route: `POST /api/lib/model/${path}`,
    call: () => ['POST', `/model/${path}`, { format: 'kind-model', version: 1, partial: true }],
    answers: [401, 403, 403, 200],
  })),
  {
    route: 'POST /api/lib/file/unit/:unit_id/url',
    call: () => ['POST', '/file/unit/00000000-0000-4000-8000-000000000000/url', { seconds: 60 }],
    answers: [401, 404, 404, 404],
  },
  // The project is in the path.
  ...['', '/:file_name'].map((name): Row => ({
    route: `GET /api/lib/project/:project_id/file/:file_id${name}`,
    call: () => [
      'GET',
      `/project/${here.admin.id}/file/00000000-0000-4000-8000-000000000000${name.replace(':file_name', 'a.txt')}`,
    ],
    answers: [404, 404, 404, 404],
    projectInPath: true,
  })),
  {
    route: 'GET /api/lib/project/:project_id/provider/:provider_id',
    call: () => ['GET', `/project/${here.admin.id}/provider/none`],
    answers: [400, 400, 400, 400],
    tokenless: true,
    projectInPath: true,
  },
  {
    route: 'POST /api/lib/identity_provider/unit/:provider_id/discovery',
    call: () => ['POST', '/identity_provider/unit/none/discovery', {}],
    answers: [401, 403, 403, 404],
  },
  // A page for browsers, to which the posted one leads.
  ...['GET', 'POST'].map((method): Row => ({
    route: `${method} /api/lib/project/:project_id/provider/:provider_id/callback`,
    call: () => [method, `^/api/lib/project/${here.admin.id}/provider/none/callback`],
    // What is posted has to be a form.
    answers: method === 'GET' ? [400, 400, 400, 400] : [415, 415, 415, 415],
    open: true,
    anyQuery: true,
  })),
  ...['file', 'provider'].map((part): Row => ({
    route: `ALL /api/lib/project/:project_id/${part}/*path`,
    call: () => ['PATCH', `/project/${here.admin.id}/${part}/a`],
    answers: [405, 405, 405, 405],
    open: true,
    bare: true,
    anyQuery: true,
  })),
  {
    route: 'ALL /api/lib/*path',
    call: () => ['PATCH', '/nothing/of/the/kind'],
    answers: [404, 404, 404, 404],
    keyed: 404,
    anyQuery: true,
  },
  {
    route: 'GET /api/lib/:kind_id/history',
    call: () => ['GET', '/note/history'],
    answers: [401, 403, 403, 200],
  },
  {
    route: 'GET /api/lib/:kind_id/unit/:unit_id/history',
    call: ({ note }) => ['GET', `/note/unit/${note}/history`],
    answers: [401, 403, 403, 200],
  },
  {
    route: 'DELETE /api/lib/:kind_id/unit/:unit_id/history',
    call: ({ note }) => ['DELETE', `/note/unit/${note}/history`],
    answers: [401, 403, 403, 200],
  },
  {
    route: 'POST /api/lib/:kind_id/unit/:unit_id/revert',
    call: ({ note }) => ['POST', `/note/unit/${note}/revert`, { version: 1 }],
    answers: [401, 403, 403, 404],
  },
  { route: 'GET /api/lib/changes', call: () => ['GET', '/changes?kinds=kind'], answers: [401, 200, 200, 200] },
  {
    route: 'POST /api/lib/live',
    call: () => ['POST', '/live', { queries: [{ as: 'kinds', path: '/kind/unit?search=x' }] }],
    answers: [401, 400, 400, 400],
  },
  { route: 'GET /api/lib/function', call: () => ['GET', '/function'], answers: [200, 200, 200, 200], keyed: 200 },
  { route: 'GET /api/lib/function/failure', call: () => ['GET', '/function/failure'], answers: [401, 403, 403, 200] },
  {
    route: 'POST /api/lib/function/failure/:failure_id/retry',
    call: () => ['POST', '/function/failure/00000000-0000-4000-8000-000000000000/retry'],
    answers: [401, 403, 403, 404],
  },
  {
    route: 'DELETE /api/lib/function/failure/:failure_id',
    call: () => ['DELETE', '/function/failure/00000000-0000-4000-8000-000000000000'],
    answers: [401, 403, 403, 404],
  },
  { route: 'GET /api/lib/function/run', call: () => ['GET', '/function/run'], answers: [401, 403, 403, 200] },
  {
    route: 'POST /api/lib/function/run',
    call: () => ['POST', '/function/run', { kind_id: 'note', function: 'tidy' }],
    answers: [401, 403, 403, [200, 409]],
  },
  {
    route: 'GET /api/lib/api_key/unit/:key_id/call',
    call: () => ['GET', '/api_key/unit/00000000-0000-4000-8000-000000000000/call'],
    answers: [401, 404, 404, 404],
  },
  {
    route: 'POST /api/lib/mcp',
    call: () => ['POST', '/mcp', {}],
    // What is no agent's key is not looked up.
    answers: [[401, 403], 403, 403, 403],
    keyed: 403,
    tokenless: true,
    projectInPath: true,
    anyQuery: true,
  },
  {
    route: 'ALL /api/lib/mcp{/*path}',
    call: () => ['PATCH', '/mcp'],
    answers: [405, 405, 405, 405],
    open: true,
    anyQuery: true,
  },
  ...(['delivery', 'delivery/:delivery_id'] as const).map((path): Row => ({
    route: `GET /api/lib/webhook/unit/:webhook_id/${path}`,
    call: () => ['GET', `/webhook/unit/none/${path.replace(':delivery_id', '00000000-0000-4000-8000-000000000000')}`],
    answers: [401, 403, 403, 404],
  })),
  ...(['ping', 'rotate', 'resume', 'delivery/:delivery_id/retry'] as const).map((path): Row => ({
    route: `POST /api/lib/webhook/unit/:webhook_id/${path}`,
    call: () => [
      'POST',
      `/webhook/unit/none/${path.replace(':delivery_id', '00000000-0000-4000-8000-000000000000')}`,
      { from: 'now' },
    ],
    answers: [401, 403, 403, 404],
  })),
  // The last one, because it ends the sessions that the others use.
  { route: 'DELETE /api/lib/auth/session', call: () => ['DELETE', '/auth/session'], answers: [401, 200, 200, 200] },
];

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** The routes that the router has, `ALL` where it takes every method. */
function routes(): string[] {
  const app = service.service.app.getHttpAdapter().getInstance() as unknown as { router: { stack: readonly Layer[] } };
  return app.router.stack.flatMap(({ route }) => {
    if (!route) return [];
    const methods = Object.keys(route.methods).map((method) => method.toUpperCase());
    return (methods.length > 10 ? ['ALL'] : methods).map((method) => `${method} ${route.path}`);
  });
}

it('every route has a row, and every row has a route', () => {
  expect(routes().sort()).toEqual(ROWS.map(({ route }) => route).sort());
});

/** Those of requests that leave sessions and keys alone, by whose they are. */
const tokens = new Map<string, Promise<string | undefined>>();

describe.each(ROWS)(
  '$route',
  ({ route, call, answers, keyed: byKey, open, bare, tokenless, projectInPath, anyQuery }) => {
    const makeUnits = async (): Promise<Units> => {
      if (call.length === 0) return { note: '', other: '', file: '' };
      const note = () => createdId(here.admin.post('/note/unit', { owner: here.ann }));
      const file = () => createdId(here.admin.post('/file/unit', { name: 'a.txt', content: '', owner: here.ann }));
      return { note: await note(), other: await note(), file: route.includes('/file/') ? await file() : '' };
    };
    /** They serve until a request may have changed them. */
    let units: Units | undefined;
    const answered = async (as: TestProject, options?: CallOptions, query = ''): Promise<number> => {
      units ??= await makeUnits();
      const [method, address, body] = call(units);
      const path = `${address}${address.includes('?') ? query.replace('?', '&') : query}`;
      const reply = path.startsWith('^')
        ? await fetch(`${as.service.url}${path.slice(1)}`, { method, headers: options?.headers ?? {} })
        : await as.call(method, path, body, options);
      if (reply.status < 400 && method !== 'GET') units = undefined;
      if (!(reply instanceof Response) && !(bare && reply.status === 200)) expectWellFormed(reply);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      if (reply.status >= 400 || path.startsWith('/auth/')) expect(reply.headers.get('cache-control')).toBe('no-store');
      return reply.status;
    };
    // Requests about sessions may end that of the token.
    const known = () => (route.includes('/auth/') ? new Map<string, Promise<string | undefined>>() : tokens);
    const tokenOf = (project: TestProject, kind: string, id: string) =>
      getOrInsert(known(), id, async () => (await tokensOf(project, kind, id)).access_token);
    const administrator = (project: TestProject) =>
      getOrInsert(known(), project.id, async () => (await service.signIn(project.id)).token);
    const keyWithoutRights = () =>
      getOrInsert(tokens, 'key', async () => (await makeKey(here.admin, { scope: [] })).secret);
    const [nobody, ann, guest, admin] = answers;
    const bad = open || tokenless ? nobody : 401;
    const keyed = byKey ?? (open || tokenless ? nobody : 403);
    const headerless = open ?? projectInPath;

    it.each<[string, Status, () => Promise<CallOptions>]>([
      ['without a token', nobody, () => Promise.resolve({})],
      ['to a member', ann, async () => ({ token: await tokenOf(here.admin, 'person', here.ann) })],
      ['to a member of another kind', guest, async () => ({ token: await tokenOf(here.admin, 'guest', here.guest) })],
      ['to an administrator', admin, async () => ({ token: await administrator(here.admin) })],
      ['to an API key without rights', keyed, async () => ({ token: await keyWithoutRights() })],
      ['with a malformed token', bad, () => Promise.resolve({ token: 'a.b.c' })],
      ['with a token that is no bearer', bad, () => Promise.resolve({ headers: { authorization: 'Basic YTpi' } })],
      ['to a member of another project', bad, async () => ({ token: await tokenOf(there.admin, 'person', there.ann) })],
      ['to an administrator of another project', bad, async () => ({ token: await administrator(there.admin) })],
      ['without a project', headerless ? nobody : 400, () => Promise.resolve({ headers: { 'kind-project-key': '' } })],
      [
        'of a project that is none',
        headerless ? nobody : 401,
        () => Promise.resolve({ headers: { 'kind-project-key': 'nowhere' } }),
      ],
    ])('%s', async (_, expected, options) => {
      expect([expected].flat()).toContain(await answered(anonymous(here.admin), await options()));
    });

    it(anyQuery ? 'whatever the query' : 'with a query parameter that it does not have', async () => {
      const token = await administrator(here.admin);
      expect([anyQuery ? admin : 400].flat()).toContain(await answered(anonymous(here.admin), { token }, '?x=1'));
    });
  },
);

afterAll(async () => {
  // What was tried from the other project left nothing there.
  expect(await ok(there.admin.get('/note/unit'))).toEqual({ count: 0, items: [] });
});

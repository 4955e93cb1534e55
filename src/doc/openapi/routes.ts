/**
 * Every route of the service, once: a test compares this table with what the application really serves. A path that has
 * `{kind_id}` first is one of every kind; `document.ts` makes of it a path per kind that the caller may use.
 */
import {
  CASCADE_QUERY,
  GET_QUERY,
  KINDS_QUERY,
  LIST_QUERY,
  MEMBER_QUERY,
  STRUCT_QUERY,
  WALK_QUERY,
} from '../../http/query-names.js';
import type { Route } from './route.js';

const KIND = '/api/lib/{kind_id}';
const UNIT = `${KIND}/unit/{unit_id}`;
const GROUP = '/api/lib/group/{group_id}';
const LINK = '/api/lib/{parent_kind_id}/unit/{parent_unit_id}/link/{link_id}/{child_kind_id}/unit/{child_unit_id}';
const LINKED = '/api/lib/{parent_kind_id}/unit/{parent_unit_id}/link/{direction}';
const KIND_PARAMETER = '/api/lib/kind/unit/{kind_id}/link/parameter/{parameter_type_id}/unit/{parameter_id}';
const GROUP_KIND = '/api/lib/group/unit/{group_id}/link/group/kind/unit/{kind_id}';
const AUTH = '/api/lib/auth';

const units = { tag: 'Units', of: 'all', needs: 'access' } as const;

const UNIT_ROUTES: readonly Route[] = [
  {
    ...units,
    ...{ id: 'list', asks: 'list', method: 'get', path: `${KIND}/unit`, summary: 'List units of %', rights: ['read'] },
    ...{ query: LIST_QUERY, content: 'units' },
  },
  {
    ...units,
    ...{
      id: 'create',
      asks: 'create',
      method: 'post',
      path: `${KIND}/unit`,
      summary: 'Create a unit of %',
      rights: ['create'],
    },
    ...{ body: 'create', content: 'created', refuses: [409] },
    description: 'Who may not read what it creates is answered its `id` and `kind_id` alone.',
  },
  {
    ...units,
    ...{ id: 'get', asks: 'get', method: 'get', path: UNIT, summary: 'Get a unit of %', rights: ['read'] },
    ...{ query: GET_QUERY, content: 'unit', conditional: 'read' },
  },
  {
    ...units,
    ...{ id: 'update', asks: 'update', method: 'put', path: UNIT, summary: 'Edit a unit of %', rights: ['update'] },
    ...{ query: CASCADE_QUERY, body: 'update', content: 'unit', refuses: [409, 412], conditional: 'write' },
    description: 'Only what the body names is changed.',
  },
  {
    ...units,
    ...{
      id: 'delete',
      asks: 'delete',
      method: 'delete',
      path: UNIT,
      summary: 'Delete a unit of %',
      rights: ['delete'],
    },
    ...{ query: CASCADE_QUERY, content: 'nothing', refuses: [409, 412], conditional: 'write' },
  },
  {
    ...units,
    ...{ id: 'struct', joint: true, method: 'get', path: `${KIND}/struct`, summary: 'Describe the parameters of %' },
    ...{ rights: ['read', 'create', 'signup'], query: STRUCT_QUERY, content: 'descriptors', inactive: true },
  },
  {
    ...units,
    ...{
      id: 'describe',
      joint: true,
      asks: 'get',
      method: 'get',
      path: `${UNIT}/struct`,
      summary: 'Describe a unit of %',
    },
    ...{ rights: ['read'], query: STRUCT_QUERY, content: 'struct' },
  },
  {
    ...units,
    ...{
      id: 'access',
      joint: true,
      asks: 'get',
      method: 'get',
      path: `${UNIT}/access`,
      summary: 'Tell why a member may do something with it',
    },
    ...{ rights: ['read'], administrators: true, query: MEMBER_QUERY, content: 'explanation' },
  },
];

const links = { tag: 'Links', of: 'linkable', joint: true, needs: 'access', rights: ['link'] } as const;
const system = { served: LINK, needs: 'bearer', rights: ['link'] } as const;

const LINK_ROUTES: readonly Route[] = [
  {
    ...links,
    ...{ id: 'linked', method: 'get', path: LINKED, rights: ['read'], content: 'linkedUnits' },
    ...{ summary: 'List the units that a unit of % is linked with', query: WALK_QUERY },
    description: 'Each once, the nearest first, with the link by which it was reached.',
  },
  {
    ...links,
    ...{ id: 'link', method: 'post', path: LINK, summary: 'Link a unit of % with another', content: 'link' },
    refuses: [409],
    description: 'A link that is there already is answered as it is.',
  },
  {
    ...links,
    ...{ id: 'unlink', method: 'delete', path: LINK, summary: 'Take a link from a unit of %', content: 'nothing' },
  },
  {
    ...system,
    ...{ id: 'kind.add_parameter', tag: 'Kinds', kind: 'kind', method: 'post', path: KIND_PARAMETER },
    ...{ summary: 'Add a parameter to a kind', content: 'kind', refuses: [409] },
  },
  {
    ...system,
    ...{ id: 'kind.remove_parameter', tag: 'Kinds', kind: 'kind', method: 'delete', path: KIND_PARAMETER },
    ...{ summary: 'Take a parameter from a kind', query: CASCADE_QUERY, content: 'nothing', refuses: [409] },
  },
  {
    ...system,
    ...{ id: 'group.add_kind', tag: 'Groups', kind: 'group', method: 'post', path: GROUP_KIND },
    ...{ reads: 'kind', summary: 'Add a kind to a group', content: 'kind', refuses: [409] },
  },
  {
    ...system,
    ...{ id: 'group.remove_kind', tag: 'Groups', kind: 'group', method: 'delete', path: GROUP_KIND },
    ...{
      reads: 'kind',
      summary: 'Remove a kind from a group',
      query: CASCADE_QUERY,
      content: 'nothing',
      refuses: [409],
    },
  },
];

const models = { method: 'get', needs: 'access', rights: ['read'] } as const;

const MODEL_ROUTES: readonly Route[] = [
  {
    ...models,
    ...{ id: 'kind.struct', tag: 'Kinds', kind: 'kind', path: '/api/lib/kind/struct', content: 'struct' },
    ...{ summary: 'Describe the body of a kind', query: STRUCT_QUERY },
  },
  {
    ...models,
    ...{ id: 'group.kinds_struct', tag: 'Groups', kind: 'group', path: `${GROUP}/struct`, content: 'struct' },
    ...{ summary: 'Describe the parameters of all kinds of a group', query: STRUCT_QUERY },
  },
  {
    ...models,
    ...{ id: 'group.kinds', tag: 'Groups', kind: 'kind', path: `${GROUP}/kind`, content: 'kinds', query: LIST_QUERY },
    ...{ reads: 'group', summary: 'List the kinds of a group' },
    description: 'Those of the group `parameter` are the parameter types.',
  },
  {
    ...models,
    ...{ id: 'group.units', tag: 'Groups', kind: 'group', path: `${GROUP}/unit`, content: 'anyUnits' },
    ...{ summary: 'List the units of all kinds of a group', query: LIST_QUERY },
  },
  {
    ...models,
    ...{ id: 'group.get_unit', tag: 'Groups', kind: 'group', path: `${GROUP}/unit/{unit_id}`, content: 'anyUnit' },
    ...{ summary: 'Get a unit of any kind of a group', query: GET_QUERY, conditional: 'read' },
  },
];

const auth = { tag: 'Authentication', refuses: [429] } as const;
const silent = { tag: 'Authentication', needs: 'bearer', content: 'nothing' } as const;
const REFRESH = 'Refresh a session; the bearer is the refresh token';
const renewed = { tag: 'Authentication', needs: 'bearer', content: 'session', path: `${AUTH}/refresh` } as const;

const AUTH_ROUTES: readonly Route[] = [
  {
    ...auth,
    ...{ id: 'signup', method: 'post', path: `${AUTH}/{member_kind_id}/signup`, of: 'members', rights: ['signup'] },
    ...{ summary: 'Sign up as %', needs: 'project', body: 'signup', content: 'session', refuses: [429, 409] },
  },
  {
    ...auth,
    ...{ id: 'auth.signin', method: 'post', path: `${AUTH}/signin`, summary: 'Sign in', needs: 'project' },
    ...{ body: 'signin', content: 'sessionOrCode' },
    description:
      'Where the project asks for codes, the first step mails one and answers null; the second sends it along.',
  },
  { ...silent, id: 'auth.verify', method: 'get', path: `${AUTH}/verify`, summary: 'Verify an access token' },
  { ...silent, id: 'auth.verify_by_post', method: 'post', path: `${AUTH}/verify`, summary: 'Verify an access token' },
  { ...renewed, id: 'auth.refresh', method: 'get', summary: REFRESH },
  { ...renewed, id: 'auth.refresh_by_post', method: 'post', summary: REFRESH },
  { ...silent, id: 'auth.signout', method: 'post', path: `${AUTH}/signout`, summary: 'Sign out' },
  {
    ...silent,
    ...{ id: 'auth.change_password', method: 'post', path: `${AUTH}/change_password`, body: 'change', refuses: [429] },
    summary: 'Change the password; every other session ends',
  },
  {
    ...auth,
    ...{ id: 'auth.recover_password', method: 'post', path: `${AUTH}/recover_password`, needs: 'project' },
    ...{ summary: 'Ask for a mail to set a new password', body: 'recover', content: 'nothing' },
  },
  {
    ...auth,
    ...{ id: 'auth.reset_password', method: 'post', path: `${AUTH}/reset_password/{token}`, needs: 'project' },
    ...{ summary: 'Set a new password', body: 'reset', content: 'nothing' },
  },
  {
    ...{ id: 'auth.reset_page', method: 'get', path: `${AUTH}/reset_password/{token}`, tag: 'Authentication' },
    ...{ summary: 'A page for browsers that does so', needs: 'nothing', media: 'text/html', refuses: [401, 405, 503] },
  },
  {
    ...{ id: 'auth.asset', method: 'get', path: `${AUTH}/page/{asset}`, tag: 'Authentication' },
    ...{ summary: 'A part of that page', needs: 'nothing', media: '*/*', refuses: [404] },
  },
];

const functions = { tag: 'Functions', of: 'none', needs: 'access', content: 'function', refuses: [405] } as const;
const asked = { method: 'get', description: 'Parameters are in the query.' } as const;
const told = { method: 'post', body: 'function' } as const;
const OF_KIND = { path: `${KIND}/function/{function_name}`, summary: 'Call a function of %' } as const;
const OF_UNIT = {
  path: `${UNIT}/function/{function_name}`,
  summary: 'Call a function of a unit of %',
  asks: 'get',
  rights: ['read'],
} as const;

/** By scope and method. */
export const FUNCTION_ROUTES: Readonly<Record<'kind' | 'unit', Readonly<Record<'GET' | 'POST', Route>>>> = {
  kind: {
    GET: { ...functions, ...OF_KIND, ...asked, id: 'function.query' },
    POST: { ...functions, ...OF_KIND, ...told, id: 'function.post' },
  },
  unit: {
    GET: { ...functions, ...OF_UNIT, ...asked, id: 'unit_function.query' },
    POST: { ...functions, ...OF_UNIT, ...told, id: 'unit_function.post' },
  },
};

const service = { method: 'get', needs: 'nothing' } as const;

const SERVICE_ROUTES: readonly Route[] = [
  {
    ...service,
    ...{ id: 'doc.openapi', tag: 'Documentation', path: '/api/lib/doc/openapi.json', media: 'application/json' },
    ...{ summary: 'This document', query: KINDS_QUERY, conditional: 'read', refuses: [401, 413, 503] },
    description: 'With the header `kind-project-key`, that of the project as the caller may use it.',
  },
  {
    ...service,
    ...{ id: 'doc.page', tag: 'Documentation', path: '/api/lib/doc/swaggerui', media: 'text/html' },
    summary: 'A page on which every call can be tried',
  },
  {
    ...service,
    ...{ id: 'doc.asset', tag: 'Documentation', path: '/api/lib/doc/swaggerui/{asset}', media: '*/*' },
    ...{ summary: 'A part of that page', refuses: [404] },
  },
  {
    ...service,
    id: 'health.live',
    tag: 'Service',
    path: '/health/live',
    summary: 'Whether it runs',
    content: 'health',
  },
  {
    ...service,
    ...{ id: 'health.ready', tag: 'Service', path: '/health/ready', content: 'health', refuses: [503] },
    summary: 'Whether it can serve',
  },
  {
    ...service,
    ...{ id: 'metrics', tag: 'Service', path: '/metrics', summary: 'Numbers for Prometheus', media: 'text/plain' },
  },
];

/** In the order in which the document has them. */
export const ROUTES: readonly Route[] = [
  ...AUTH_ROUTES,
  ...MODEL_ROUTES,
  ...UNIT_ROUTES,
  ...LINK_ROUTES,
  ...Object.values(FUNCTION_ROUTES).flatMap(({ GET, POST }) => [GET, POST]),
  ...SERVICE_ROUTES,
];

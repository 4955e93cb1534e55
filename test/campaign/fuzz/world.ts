/** The projects, units and callers of the fuzzers. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { AnswerCheck } from '../../support/answers.js';
import { COMPILED, compiled } from '../../support/compiled.js';
import { PLACE, THING } from '../../support/every-type.js';
import type { UnitRecord } from '../../support/naive-filter.js';
import type { NaiveCaller } from '../../support/naive-rules.js';
import { randomThings } from '../../support/random-filters.js';
import { Client, type Sent } from '../client.js';
import type { Deployment } from '../deployment.js';
import { memberKind, signUp } from '../members.js';
import { ADMINISTRATOR, PROJECT } from '../service-process.js';

export interface FuzzCaller extends NaiveCaller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface World {
  readonly url: string;
  readonly admin: Client;
  readonly callers: readonly FuzzCaller[];
  /** All units of the kind `thing`, as the administrator reads them. They never change. */
  readonly things: readonly UnitRecord[];
  readonly places: readonly string[];
  /** Ids of units of the kind `scratch`, which changes all the time; some are gone. */
  readonly scratch: string[];
  readonly document: OpenApiDocument;
  readonly check: AnswerCheck;
  /** Everything that an administrator of another project can read there. */
  readonly neighbour: () => Promise<string>;
}

const THINGS = 150;
/** A parameter that only administrators may read. */
export const CLOSED = 'a_text';
const OTHER = 'other';

const post = (path: string, body: unknown): Sent => ({ method: 'POST', path, body });
const put = (path: string, body: unknown): Sent => ({ method: 'PUT', path, body });
const get = (path: string): Sent => ({ method: 'GET', path });

const SCRATCH = {
  id: 'scratch',
  parameters: [
    { id: 'code', kind_id: 'string', unique: true, max_length: 30 },
    { id: 'title', kind_id: 'text', search: 'simple' },
    { id: 'size', kind_id: 'integer', min_value: -1000, max_value: 1000 },
    { id: 'price', kind_id: 'decimal', scale: 2 },
    { id: 'shape', kind_id: 'json' },
    { id: 'tags', kind_id: 'string', multiple: true },
    { id: 'at_place', kind_id: 'unit', reference_kind: 'place' },
    { id: 'before', kind_id: 'unit', reference_kind: 'scratch', on_delete: 'set_null' },
  ],
};
const NOBODY_ELSE = { create: 'admin', update: 'admin', delete: 'admin', link: 'admin' };

const MEMBER_PARAMETERS = [
  { id: 'p_text', kind_id: 'string' },
  { id: 'p_num', kind_id: 'integer' },
];

const SETUP: readonly Sent[] = [
  ...memberKind(MEMBER_PARAMETERS),
  post('/kind/unit', { ...PLACE, public: true, access: { read: 'anyone', ...NOBODY_ELSE } }),
  post('/kind/unit', { ...THING, public: true, access: NOBODY_ELSE }),
  put(`/text/unit/${CLOSED}`, { read_access: 'admin' }),
  post('/kind/unit', SCRATCH),
  post('/group/unit', { id: 'things', kind_list: ['thing'] }),
  post('/link/unit', { id: 'about', parameters: [{ id: 'weight', kind_id: 'integer' }] }),
];

/** Makes the world in the first project of a deployment, and another project beside it. */
export async function makeWorld(deployment: Deployment): Promise<World> {
  const { url } = deployment.service;
  const admin = deployment.client();
  for (const sent of SETUP) await admin.ok(sent);
  const placed = (await admin.ok(post('/place/unit', [{}, {}, {}, {}]))) as { items: { id: string }[] };
  const places = placed.items.map(({ id }) => id);
  await admin.ok(post('/thing/unit', randomThings(THINGS, places)));
  const { items } = (await admin.ok(get('/thing/unit?limit=1000'))) as { items: UnitRecord[] };
  const made = (await admin.ok(
    post(
      '/scratch/unit',
      Array.from({ length: 20 }, (_, n) => ({ code: `c${n}` })),
    ),
  )) as {
    items: { id: string }[];
  };
  const document = (await documentOf(admin)) as OpenApiDocument;
  return {
    url,
    admin,
    callers: await callersOf(deployment),
    things: items,
    places,
    scratch: made.items.map(({ id }) => id),
    document,
    check: new AnswerCheck(document),
    neighbour: await neighbourOf(deployment),
  };
}

async function documentOf(admin: Client): Promise<unknown> {
  const answer = await admin.send(get('/doc/openapi.json'));
  if (!('body' in answer)) throw new Error('no document');
  return answer.body;
}

async function callersOf(deployment: Deployment): Promise<FuzzCaller[]> {
  const project = { 'kind-project-key': PROJECT };
  const member = async (username: string, values: Record<string, string | number | null>): Promise<FuzzCaller> => {
    const { id, headers } = await signUp(deployment, username, values);
    return { name: username, headers, member: { id, kind_id: 'person', ...values } };
  };
  const token = await tokenOf(deployment, PROJECT, ADMINISTRATOR);
  return [
    await member('ann', { p_text: 'a', p_num: 1 }),
    await member('bob', { p_text: 'abc', p_num: -10 }),
    await member('cyd', { p_text: null, p_num: null }),
    { name: 'nobody', headers: project },
    { name: 'admin', headers: { ...project, authorization: `Bearer ${token}` }, admin: true, member: {} },
  ];
}

async function tokenOf(deployment: Deployment, project: string, body: object): Promise<string> {
  const stranger = new Client(() => deployment.service.url, { 'kind-project-key': project });
  const { access_token } = (await stranger.ok(post('/auth/signin', body))) as { access_token: string };
  stranger.close();
  return access_token;
}

/** Makes the other project, and answers how to read all of it. */
async function neighbourOf(deployment: Deployment): Promise<() => Promise<string>> {
  const args = ['project', 'create', OTHER, '--admin-password', ADMINISTRATOR.password];
  const env = { ...process.env, DATA_DIR: deployment.dataDir, LOG_LEVEL: 'fatal' };
  await promisify(execFile)(process.execPath, [compiled('cli/main.js'), ...args], { cwd: `${COMPILED}/..`, env });
  const token = await tokenOf(deployment, OTHER, ADMINISTRATOR);
  const headers = { 'kind-project-key': OTHER, authorization: `Bearer ${token}` };
  const there = new Client(() => deployment.service.url, headers);
  await there.ok(post('/kind/unit', { ...SCRATCH, parameters: SCRATCH.parameters.slice(0, 6) }));
  await there.ok(
    post(
      '/scratch/unit',
      Array.from({ length: 30 }, (_, n) => ({ code: `other ${n}`, size: n })),
    ),
  );
  const paths = ['/scratch/unit', '/kind/unit', '/group/unit', '/link/unit', '/string/unit', '/kind_admin/unit'];
  return async () => {
    const answers = await Promise.all(paths.map((path) => there.ok(get(`${path}?limit=1000`))));
    return JSON.stringify(answers);
  };
}

/** The same values for the same seed. */
export function sampled<T>(values: fc.Arbitrary<T>, count: number, seed: number): T[] {
  return fc.sample(values, { numRuns: count, seed });
}

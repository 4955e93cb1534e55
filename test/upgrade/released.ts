/**
 * A database as a release left it: `<release>.sql`, made by pg_dump, and `<release>.answers.ndjson`, what that release
 * answered with it, a request a line. They are made once, on the commit of the release (docs/releases.md), and stay.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { clientOptions, type ConnectionOptions } from '../../src/database/connection/connection.js';
import { ok } from '../support/definitions.js';
import { makeKey } from '../support/keys.js';
import { urlOf } from '../support/own-database.js';
import { type TestProject, type TestService } from '../support/service.js';
import { wholeProject } from '../support/whole-project.js';

const PROJECT = 'released';
const TYPES = ['string', 'text', 'integer', 'float', 'decimal', 'boolean', 'date', 'time', 'datetime', 'binary'];
const KINDS = ['place', 'thing', 'team', 'player', 'resting', 'person'];

/** What is asked, by who asks. */
const REQUESTS = {
  admin: [
    ...KINDS.map((kind) => `/kind/unit/${kind}`),
    ...[...TYPES, 'json', 'unit'].map((type) => `/${type}/unit?limit=100`),
    '/group/unit/sports',
    '/link/unit/plays',
    ...KINDS.filter((kind) => kind !== 'resting').map((kind) => `/${kind}/unit?limit=200`),
    '/team/unit?search=none',
    '/player/unit?filter=eq(team.title,none)&include=team.code',
    '/player/aggregate?group=team&select=[count(),max(number)]',
    '/player/unit/2/link/child',
    '/group/sports/unit',
  ],
  member: ['/team/unit', '/person/unit'],
  anyone: ['/team/unit', '/place/unit?limit=1'],
  key: ['/player/unit?limit=1'],
} as const;

interface Answer {
  readonly as: string;
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}

const fileOf = (name: string): string => join(import.meta.dirname, name);

/** The releases of which a database is kept. */
export function keptReleases(): string[] {
  return readdirSync(import.meta.dirname).flatMap((file) => /^(.*)\.sql$/.exec(file)?.[1] ?? []);
}

export function keptAnswers(release: string): unknown[] {
  const lines = readFileSync(fileOf(`${release}.answers.ndjson`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** Makes the files of a release from an empty database. Needs a pg_dump that is no older than the server. */
export async function keepRelease(release: string, service: TestService, database: ConnectionOptions): Promise<void> {
  const project = await wholeProject(await service.project(PROJECT));
  // A code by mail cannot be kept.
  await service.service.app.get(Provisioning).set(PROJECT, { settings: { otp: false } });
  const { secret } = await makeKey(project);
  await ok(project.put('/kind/unit/team', { metadata: { key: secret } }));
  const parts = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', '--exclude-table-data=kind.service'];
  const dump = execFileSync('pg_dump', [...parts, urlOf(database)], { encoding: 'utf8', maxBuffer: 2 ** 27 });
  // Without what only psql understands.
  writeFileSync(fileOf(`${release}.sql`), dump.replaceAll(/^(?:\\.*|--.*)?\n/gm, ''));
  const lines = (await answersOf(service)).map((answer) => `${JSON.stringify(answer)}\n`);
  writeFileSync(fileOf(`${release}.answers.ndjson`), lines.join(''));
}

/** Fills an empty database with that of a release. */
export async function restoreRelease(release: string, database: ConnectionOptions): Promise<void> {
  const client = new Client(clientOptions(database));
  await client.connect();
  try {
    await client.query(readFileSync(fileOf(`${release}.sql`), 'utf8'));
  } finally {
    await client.end();
  }
}

/** The project of the release as its administrator, with a session of this service. */
export async function signIn(service: TestService): Promise<TestProject> {
  return service.signIn(PROJECT);
}

export async function answersOf(service: TestService): Promise<Answer[]> {
  const admin = await service.signIn(PROJECT);
  const signedIn = (await ok(
    admin.as(undefined).post('/auth/signin', { username: 'ann', password: 'secret of ann' }),
  )) as {
    access_token: string;
  };
  const { metadata } = (await ok(admin.get('/kind/unit/team'))) as { metadata: { key: string } };
  const tokens = { admin: admin.token, member: signedIn.access_token, anyone: undefined, key: metadata.key };
  const answers: Answer[] = [];
  for (const caller of ['admin', 'member', 'anyone', 'key'] as const) {
    for (const request of REQUESTS[caller]) {
      const { status, body } = await admin.as(tokens[caller]).get(request);
      answers.push({ as: caller, request, status, body: withoutSignIns(body) });
    }
  }
  return answers;
}

/** Without what the record of a member kind gains with a release. */
export function withoutGained(answers: readonly unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(answers), (_, value: unknown) => {
    const { parameters } = (value ?? {}) as { parameters?: unknown };
    if (!Array.isArray(parameters) || !parameters.includes('last_access_time')) return value;
    const changed = { parameters: parameters.filter((id) => id !== 'email_verified_at'), updated_at: null };
    return { ...(value as object), ...changed };
  }) as unknown[];
}

/** Without the times at which members signed in, which asking changes. */
function withoutSignIns(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'last_access_time' ? null : value));
}

/** The audit log: what is recorded, of whom, and what is not. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import type { CommitWitness, Transaction } from '../../../src/database/database.js';
import { noteLostAnswer } from '../../../src/database/statement/sqlstate.js';
import { AuditLog } from '../../../src/tenancy/audit-log.js';
import { SYSTEM } from '../../../src/tenancy/caller.js';
import { asMember, defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { atEnd } from '../../support/at-end.js';
import { logLines } from '../../support/log-lines.js';
import { startTestService, TestProject } from '../../support/service.js';

const folder = mkdtempSync(join(tmpdir(), 'kind-audit-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'audit.log');

const service = await startTestService({ auditLog: { file } });
const admin = await service.project();
const member = await asMember(admin);
const { id: memberId } = (await ok(member.get('/auth/me'))) as { id: string };
const { id: adminId } = (await ok(admin.get('/auth/me'))) as { id: string };
const BY_ADMIN = { kind: 'kind_admin', id: adminId };

interface Line {
  readonly time: string;
  readonly action: string;
  readonly project: string;
}

const linesOf = (path = file) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ project }) => project === admin.id);

/** The lines that work adds, without their times. */
async function linesBy(work: () => Promise<unknown>): Promise<object[]> {
  const before = linesOf().length;
  await work();
  return linesOf()
    .slice(before)
    .map(({ time, ...line }) => {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      return line;
    });
}

/** An id of the service, whatever the client sent. */
const OWN_ID = expect.stringMatching(/^[0-9a-f]{16}-[0-9a-z]+$/) as string;
const withId = (id: string) => ({ headers: { 'x-request-id': id } });

test('a definition: which settings changed, and access before and after', async () => {
  const of = { channel: 'audit', action: 'definitions.changed', project: admin.id, by: BY_ADMIN };
  const city = { id: 'city', parameters: [{ id: 'name', kind_id: 'string', default_string: 'a-secret-value' }] };
  expect(await linesBy(() => admin.post('/kind/unit', city, withId('make-city')))).toEqual([
    {
      ...of,
      request: OWN_ID,
      client_request: 'make-city',
      changes: [
        { definition: 'kind', id: 'city', change: 'created' },
        { definition: 'parameter', id: 'name', change: 'created' },
      ],
    },
  ]);
  const edit = { access: { read: 'admin', update: 'eq(name,x)' }, label: 'City' };
  expect(await linesBy(() => admin.put('/kind/unit/city', edit, withId('close')))).toEqual([
    {
      ...of,
      request: OWN_ID,
      client_request: 'close',
      changes: [
        {
          definition: 'kind',
          id: 'city',
          change: 'changed',
          settings: expect.arrayContaining(['access']) as string[],
          access: [null, edit.access],
        },
      ],
    },
  ]);
  const hide = () => admin.put('/string/unit/name', { read_access: 'admin' }, withId('hide'));
  expect(await linesBy(hide)).toMatchObject([
    { changes: [{ definition: 'parameter', id: 'name', read_access: [null, 'admin'] }] },
  ]);
  expect(await linesBy(() => admin.delete('/kind/unit/city?cascade=true', withId('drop')))).toMatchObject([
    {
      request: OWN_ID,
      client_request: 'drop',
      changes: [
        { definition: 'kind', id: 'city', change: 'deleted' },
        { definition: 'parameter', id: 'name', change: 'deleted' },
      ],
    },
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain('a-secret-value');
});

test('who becomes a member kind', async () => {
  await defineKinds(admin, { id: 'clerk' });
  const join = () => admin.post('/group/unit/kind_auth_member/link/group/kind/unit/clerk');
  expect(await linesBy(join)).toMatchObject([
    {
      changes: expect.arrayContaining([
        expect.objectContaining({
          definition: 'kind',
          id: 'clerk',
          settings: expect.arrayContaining(['groups']) as [],
        }),
        expect.objectContaining({ definition: 'group', id: 'kind_auth_member', settings: ['kinds'] }),
      ]) as object[],
    },
  ]);
});

test('members that administrators write: names of fields, no values', async () => {
  const entry = { channel: 'audit', project: admin.id, by: BY_ADMIN, kind: 'person' };
  let id = '';
  const create = async () => {
    id = await createdId(admin.post('/person/unit', { username: 'bob', email: 'bob@secret.example' }, withId('c')));
  };
  expect(await linesBy(create)).toEqual([
    { ...entry, action: 'member.created', request: OWN_ID, client_request: 'c', id },
  ]);
  expect(await linesBy(() => admin.put(`/person/unit/${id}`, { first_name: 'Bob' }, withId('e')))).toEqual([
    { ...entry, action: 'member.changed', request: OWN_ID, client_request: 'e', id, fields: ['first_name'] },
  ]);
  expect(await linesBy(() => admin.delete(`/person/unit/${id}`, withId('d')))).toEqual([
    { ...entry, action: 'member.deleted', request: OWN_ID, client_request: 'd', id },
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain('secret.example');
});

test('members of a file: those that are stored, once', async () => {
  const lines = ['carol', 'bob2', 'carol2'].map((name) => `${name},${name}@example.com`);
  await admin.post('/person/unit', { username: 'bob2', email: 'other@example.com' });
  const csv = { headers: { 'content-type': 'text/csv', 'x-request-id': 'f' } };
  const file = ['username,email', ...lines].join('\n');
  const added = await linesBy(async () => {
    const content = await ok(admin.post('/person/import?errors=skip', file, csv));
    expect(content).toMatchObject({ created: 2, failed: 1 });
  });
  const created = { action: 'member.created', request: OWN_ID, client_request: 'f', kind: 'person' };
  expect(added).toMatchObject([created, created]);
  expect(new Set(added.map((line) => (line as { id: string }).id)).size).toBe(2);
});

test('API keys, without their secrets; and that a key was used', async () => {
  let made = { id: '', secret: '' };
  const scope = [{ kinds: ['kind'], operations: ['create'] }];
  const create = async () => {
    made = (await ok(admin.post('/api_key/unit', { label: 'Robot', scope }, withId('k')))) as typeof made;
  };
  expect(await linesBy(create)).toMatchObject([
    {
      action: 'api_key.created',
      by: BY_ADMIN,
      request: OWN_ID,
      client_request: 'k',
      id: expect.any(String) as string,
      member: adminId,
      scope,
    },
  ]);
  const robot = admin.as(made.secret);
  expect(await linesBy(() => robot.post('/kind/unit', { id: 'thing' }))).toMatchObject([
    { action: 'definitions.changed', by: { ...BY_ADMIN, api_key: true } },
  ]);
  expect(await linesBy(() => admin.delete(`/api_key/unit/${made.id}`))).toMatchObject([
    { action: 'api_key.deleted', id: made.id },
  ]);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(made.secret);
  expect(text).not.toContain('hash');
});

test('members whose sessions an administrator ends, if there were any', async () => {
  const id = await createdId(admin.post('/person/unit', { username: 'dora', email: 'dora@example.com' }));
  // The line has the id as it is stored.
  const end = () => admin.delete(`/auth/member/${id.toUpperCase()}/session`, withId('s'));
  for (let count = 0; count < 2; count += 1) await tokensOf(admin, 'person', id);
  expect(await linesBy(end)).toEqual([
    {
      channel: 'audit',
      project: admin.id,
      by: BY_ADMIN,
      action: 'member.signed_out',
      request: OWN_ID,
      client_request: 's',
      kind: 'person',
      id,
      sessions: 2,
    },
  ]);
  expect(await linesBy(end)).toEqual([]);
});

test('sessions that an administrator ends: the line is there before they have ended', async () => {
  const id = await createdId(admin.post('/person/unit', { username: 'fay', email: 'fay@example.com' }));
  await tokensOf(admin, 'person', id);
  const { app } = service.service;
  const commits: string[] = [];
  const record = vi.spyOn(app.get(AuditLog), 'record').mockImplementation((entry, tx) => {
    commits.push(`${entry.action} ${tx ? 'in the transaction' : 'after it'}`);
  });
  await ok(admin.delete(`/auth/member/${id}/session`));
  record.mockRestore();
  expect(commits).toEqual(['member.signed_out in the transaction']);
});

test('projects, by the service or a command', async () => {
  const provisioning = service.service.app.get(Provisioning);
  expect(
    await linesBy(() =>
      provisioning.set(admin.id, { settings: { units: 500, requestsPerSecond: 9000 }, accessDefault: 'closed' }),
    ),
  ).toEqual([
    expect.objectContaining({
      action: 'definitions.changed',
      by: { service: true },
      changes: [
        { definition: 'project', change: 'changed', settings: ['access_default'], access_default: ['open', 'closed'] },
      ],
    }),
    expect.objectContaining({ action: 'project.changed', settings: { units: 500, requests_per_second: 9000 } }),
  ]);
  expect(await linesBy(() => ok(admin.put('/settings', { file_url_seconds: 61 })))).toMatchObject([
    { action: 'project.changed', settings: { file_url_seconds: 61 }, by: { kind: 'kind_admin' } },
  ]);
  await provisioning.set(admin.id, { settings: { units: null, requestsPerSecond: null }, accessDefault: 'open' });
  const same = { label: (await provisioning.get(admin.id)).label, settings: { units: null, otp: false } } as const;
  expect(await linesBy(() => provisioning.set(admin.id, { ...same, accessDefault: 'open' }))).toEqual([]);
  const closed = await linesBy(() => provisioning.set(admin.id, { accessDefault: 'closed' }));
  expect(closed).toMatchObject([{ action: 'definitions.changed' }]);
  await provisioning.set(admin.id, { accessDefault: 'open' });
});

test.each<[string, () => Promise<unknown>]>([
  ['a member that changes itself', () => member.put(`/person/unit/${memberId}`, { first_name: 'Ann' })],
  ['a sign-up', () => admin.as(undefined).post('/auth/signup/person', { username: 'eve', email: 'eve@example.com' })],
  ['a write that is refused', () => admin.post('/person/unit', { username: 5 })],
  ['a definition that is refused', () => admin.post('/kind/unit', { id: 'Bad Id' })],
  ['a dry run', () => admin.post('/kind/unit?dry_run=true', { id: 'never' })],
  ['a dry run of a member', () => admin.post('/person/unit?dry_run=true', { username: 'dry', email: 'd@example.com' })],
  ['an edit that changes no setting', () => admin.put('/kind/unit/person', { label: 'Person' })],
])('%s is not recorded', async (_, work) => {
  const lines = await linesBy(work);
  expect(lines.filter((line) => !('changes' in line) || (line.changes as []).length > 0)).toEqual([]);
});

test.each([
  ['a COMMIT that is refused', new Error('refused'), false],
  ['a COMMIT whose answer is lost', lostAnswer(), 'unknown'],
] as const)('%s: another line says whether the change was stored', async (_, error, stored) => {
  const log = new AuditLog({ auditLog: { file } }, logLines().logger, false);
  const tell = (witness: CommitWitness<object>, line: object) => {
    witness.before([line]);
    witness.failed([line], error);
  };
  const tx = { tellAtCommit: tell } as Partial<Transaction> as Transaction;
  const entry = { action: 'project.changed', project: admin.id, caller: SYSTEM, requestId: undefined } as const;
  const lines = await linesBy(() => {
    log.record(entry, tx);
    return Promise.resolve();
  });
  const line = { channel: 'audit', action: 'project.changed', project: admin.id, by: { service: true } };
  expect(lines).toEqual([line, { ...line, stored }]);
});

function lostAnswer(): Error {
  const error = new Error('Connection terminated unexpectedly');
  noteLostAnswer(error);
  return error;
}

test('a file that was renamed is made anew, for its owner only', async () => {
  renameSync(file, `${file}.1`);
  await admin.post('/kind/unit', { id: 'later' });
  expect(linesOf()).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a line that cannot be written is logged, and the change is made', async () => {
  const log = logLines();
  const gone = join(folder, 'gone', 'audit.log');
  mkdirSync(join(folder, 'gone'));
  const { service: other } = await startTestService({ auditLog: { file: gone } }, log.logger);
  rmSync(join(folder, 'gone'), { recursive: true });
  const made = await new TestProject(other, admin.id, admin.token).post('/kind/unit', { id: 'unwritten' });
  expect(made.status).toBe(200);
  expect(log.of('error')).toEqual(['lines of the audit log could not be written']);
  expect(log.text()).toContain('unwritten');
});

test('in the log of the service, also where its level is higher', async () => {
  const log = logLines();
  log.logger.level = 'fatal';
  const { service: other } = await startTestService({ auditLog: 'log' }, log.logger);
  await new TestProject(other, admin.id, admin.token).post('/kind/unit', { id: 'logged' }, withId('l'));
  const line = { channel: 'audit', action: 'definitions.changed', request: OWN_ID, client_request: 'l', level: 'info' };
  expect((JSON.parse(log.text()) as object[]).filter((each) => 'channel' in each)).toMatchObject([line]);
});

test('a file that cannot be written stops the start', async () => {
  const wrong = join(folder, 'missing', 'audit.log');
  await expect(startTestService({ auditLog: { file: wrong } })).rejects.toThrow(
    `AUDIT_LOG: got ${wrong}, wants a file in a folder that is there and can be written, log, or off: ENOENT`,
  );
});

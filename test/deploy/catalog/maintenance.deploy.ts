/**
 * Upgrades and deletions of projects take as long as there are projects and tables, so a start does not wait for all of
 * them: they can end between two steps, and the next round goes on, in whichever process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { readModelSummaries } from '../../../src/catalog/model/model-store.js';
import { ProjectUpgrades } from '../../../src/catalog/project/project-upgrades.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { Database } from '../../../src/database/database.js';
import { ProjectRepository } from '../../../src/database/registry/project.repository.js';
import { BUILT_IN_VERSION } from '../../../src/model/built-in/built-in.js';
import { refusal } from '../../../src/shared/errors.js';
import { compiled } from '../../support/compiled.js';
import { ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import type { TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

// A database of its own: services of other files would maintain the projects of this one.
const connection = await ownDatabase();
const service = await startServiceOn(connection);
const { app } = service.service;
const provisioning = app.get(Provisioning);
const maintenance = app.get(ProjectUpgrades);
const registry = app.get(ProjectRepository);

const NEVER = new AbortController().signal;

async function outdated(): Promise<string[]> {
  const found: string[] = [];
  for await (const ids of provisioning.outdated()) found.push(...ids);
  return found;
}

/** As an older release has left it, with a registry that may not know it. */
async function age(project: TestProject): Promise<void> {
  await query(project, 'UPDATE $schema."_model" SET "built_in" = $1', [BUILT_IN_VERSION - 1]);
  await forgetVersion(project);
}

const forgetVersion = (project: TestProject) =>
  query(project, 'UPDATE "kind"."project" SET "built_in" = NULL WHERE "id" = $1', [project.id]);

async function builtInOf(project: TestProject): Promise<number | undefined> {
  const [row] = await query<{ built_in: number }>(project, 'SELECT "built_in" FROM $schema."_model"');
  return row?.built_in;
}

async function tablesOf(project: TestProject): Promise<number> {
  const text = 'SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = $1';
  const [row] = await query<{ count: string }>(project, text, [`project_${project.id}`]);
  return Number(row?.count);
}

describe('upgrades', () => {
  it('ask only projects that are not known to be up to date, and remember the answer', async () => {
    const project = await service.project();
    expect(await registry.notKnownToHave(BUILT_IN_VERSION)).toEqual([]);
    expect(await registry.notKnownToHave(BUILT_IN_VERSION + 1)).toContain(project.id);
    // As the registry of an older release is.
    await forgetVersion(project);
    expect(await registry.notKnownToHave(BUILT_IN_VERSION)).toEqual([project.id]);
    expect(await outdated()).toEqual([]);
    expect(await registry.notKnownToHave(BUILT_IN_VERSION)).toEqual([]);
  });

  it('end between two projects, and the next round goes on', async () => {
    const projects = [await service.project(), await service.project(), await service.project()];
    for (const project of projects) await age(project);
    expect(await outdated()).toEqual(projects.map(({ id }) => id).sort());
    await maintenance.run(AbortSignal.abort());
    expect(await outdated()).toHaveLength(3);
    const [first] = projects;
    await provisioning.migrate(first!.id);
    expect(await outdated()).toHaveLength(2);
    await maintenance.run(NEVER);
    expect(await outdated()).toEqual([]);
    for (const project of projects) expect(await builtInOf(project)).toBe(BUILT_IN_VERSION);
  });

  it('that were refused leave the others alone, and are not repeated in every round', async () => {
    const [refused, other] = [await service.project(), await service.project()];
    await age(refused);
    await age(other);
    await query(refused, 'ALTER TABLE $schema."group" ALTER COLUMN "label" TYPE varchar(500)');
    await maintenance.run(NEVER);
    expect(await builtInOf(other)).toBe(BUILT_IN_VERSION);
    expect(await outdated()).toEqual([refused.id]);
    await query(refused, 'ALTER TABLE $schema."group" ALTER COLUMN "label" TYPE text');
    await maintenance.run(NEVER);
    expect(await builtInOf(refused)).toBe(BUILT_IN_VERSION - 1);
    await provisioning.migrate(refused.id);
    expect(await outdated()).toEqual([]);
  });

  it('that met a locked table are tried again, after twice as long each time', async () => {
    const project = await service.project();
    await age(project);
    let passed = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const migrate = vi.spyOn(provisioning, 'migrate');
    for (const seconds of [0, 30, 60]) {
      migrate.mockRejectedValueOnce(refusal('database.busy', 'locked'));
      passed += seconds * 1000;
      await maintenance.run(NEVER);
      await maintenance.run(NEVER);
    }
    expect(migrate).toHaveBeenCalledTimes(3);
    expect(await outdated()).toEqual([project.id]);
    passed += 120_000;
    await maintenance.run(NEVER);
    expect(await outdated()).toEqual([]);
    migrate.mockRestore();
    clock.mockRestore();
  });
});

describe('project migrate', () => {
  const env = { DATABASE_URL: urlOf(connection), DATA_DIR: tmpdir() };

  async function migrate(...argv: string[]) {
    let out = '';
    let err = '';
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const code = await runCommandLine(['project', 'migrate', ...argv], terminal, () => loadConfig(env, tmpdir()));
    return { code, out, err };
  }

  async function versionOf(project: TestProject): Promise<number> {
    const [row] = await query<{ version: string }>(project, 'SELECT "version" FROM $schema."_model"');
    return Number(row?.version);
  }

  it('goes on after it was killed, and does no project twice', async () => {
    const made = [await service.project(), await service.project(), await service.project()];
    const projects = made.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const project of projects) await age(project);
    const before = await Promise.all(projects.map(versionOf));
    const side = await sideConnection(connection);
    const release = await side.lock(projects[1]!, 'kind');
    const command = spawn(process.execPath, [compiled('cli/main.js'), 'project', 'migrate'], {
      env: { ...process.env, ...env },
    });
    const ended = once(command, 'exit');
    await vi.waitFor(async () => expect(await builtInOf(projects[0]!)).toBe(BUILT_IN_VERSION), 30_000);
    await side.waiting(projects[1]!, 'kind');
    command.kill('SIGKILL');
    await ended;
    await release();
    const versions = await Promise.all(projects.map(builtInOf));
    expect(versions).toEqual([BUILT_IN_VERSION, BUILT_IN_VERSION - 1, BUILT_IN_VERSION - 1]);
    const { code, out } = await migrate();
    expect({
      code,
      keys: [...out.matchAll(/^(\S+) +\d+ changes? made|^(\S+) +up to date/gm)].map(([, a, b]) => a ?? b),
    }).toEqual({
      code: 0,
      keys: projects.slice(1).map(({ id }) => id),
    });
    expect(out).toContain('No other project is older than this release.');
    expect(await Promise.all(projects.map(versionOf))).toEqual(before.map((version) => version + 1));
  }, 60_000);

  it('does not look at projects that are up to date, unless it is told to', async () => {
    const project = await service.project();
    const side = await sideConnection(connection);
    const release = await side.lock(project, '_model');
    expect(await migrate()).toEqual({ code: 0, out: 'No project is older than this release.\n', err: '' });
    await release();
    expect((await migrate('--all')).out).toMatch(new RegExp(`^${project.id} +up to date$`, 'm'));
    expect(await migrate('--all', project.id)).toMatchObject({ code: 2, out: '' });
  });
});

it('the models of many projects are read with few messages, also if some have no tables', async () => {
  const projects = [await service.project(), await service.project()];
  const schemas = projects.map(({ id }) => `project_${id}`);
  const gone = Array.from({ length: 120 }, (_, at) => `project_gone${at}`);
  const database = app.get(Database);
  const expected = { built_in: BUILT_IN_VERSION, access_default: 'open' };
  const found = await readModelSummaries(database, [...gone, ...schemas]);
  expect([...found]).toEqual(schemas.map((schema) => [schema, { schema, ...expected }]));
});

describe('a deletion', () => {
  /** A project with tables of which all refer to one. */
  async function large(tables: number): Promise<TestProject> {
    const project = await service.project();
    await ok(
      project.post('/kind/unit', { id: 'town', parameters: [{ id: 'name', kind_id: 'string', indexed: true }] }),
    );
    for (let at = 0; at < tables; at += 1) {
      const columns = `"a" int PRIMARY KEY, "b" int UNIQUE, "town" uuid REFERENCES $schema."town"`;
      await query(project, `CREATE TABLE $schema."t${at}" (${columns})`);
      await query(project, `CREATE INDEX ON $schema."t${at}" ("town")`);
    }
    return project;
  }

  it('of many tables is done in steps, so that it can end between them, and goes on in the next round', async () => {
    const project = await large(120);
    const before = await tablesOf(project);
    await expect(provisioning.delete(project.id, AbortSignal.abort('enough'))).rejects.toBe('enough');
    expect(await registry.deleting()).toEqual([project.id]);
    expect(await tablesOf(project)).toBe(before);
    await maintenance.run(NEVER);
    expect(await tablesOf(project)).toBe(0);
    expect(await registry.find(project.id)).toBeUndefined();
    expect(await registry.deleting()).toEqual([]);
  });

  it('by two processes at the same time is done once', async () => {
    const project = await large(20);
    const both = await Promise.allSettled([provisioning.delete(project.id), provisioning.delete(project.id)]);
    expect(both.map(({ status }) => status)).toContain('fulfilled');
    expect(await registry.find(project.id)).toBeUndefined();
    expect(await tablesOf(project)).toBe(0);
  });
});

/** What an operator does with a project on Citus, and what processes hear of it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { MODEL_CHANNEL } from '../../src/catalog/model/raise-version.js';
import { runCommandLine } from '../../src/cli/run.js';
import { loadConfig } from '../../src/config/config.js';
import { clientOptions } from '../../src/database/connection/connection.js';
import { atEnd } from '../support/at-end.js';
import { contentsOf } from '../support/backup-files.js';
import { defineKinds } from '../support/callers.js';
import { expectNoDrift, ok, query, refusalOf } from '../support/definitions.js';
import { logLines } from '../support/log-lines.js';
import { ownDatabase, startServiceOn, urlOf } from '../support/own-database.js';
import { sharedService } from '../support/service.js';
import { sideConnection } from '../support/side-connection.js';
import { wholeProject } from '../support/whole-project.js';
import { expectStoredOnce, isCitus, NOTES, workerOf } from './places.js';

describe.skipIf(!isCitus)('on Citus', async () => {
  if (!isCitus) return;
  const service = await sharedService();
  const coordinator = new Client(clientOptions(inject('database')));
  await coordinator.connect();
  atEnd(() => coordinator.end());

  // While it is written to, that can deadlock with a write: one of both is done again.
  it('a project of the coordinator comes to a worker while services run, is what it was, and stays there', async () => {
    const direct = await ownDatabase();
    const side = await sideConnection(direct);
    const [{ name = '' } = {}] = await side.rows<{ name: string }>('SELECT current_database() AS name');
    await side.rows(['ALTER DATABASE', name, 'SET citus.enable_schema_based_sharding = off'].join(' '));
    const project = await (await startServiceOn(direct)).project();
    await defineKinds(project, NOTES);
    const there = await (await startServiceOn(direct)).signIn(project.id);
    const made: string[] = [];
    const write = async (): Promise<void> => {
      for (let n = 0; n < 10; n++) {
        const label = `n${made.length}`;
        await ok((n % 2 === 0 ? project : there).post('/note/unit', { label }));
        made.push(label);
      }
      await expectStoredOnce(project, made);
      expect(await ok(there.get('/note/unit?limit=1'))).toMatchObject({ count: made.length });
    };
    expect(await workerOf(project)).toBeUndefined();
    await write();
    await ok(
      there.put('/kind/unit/note', { parameters: ['label', { id: 'more', kind_id: 'integer', indexed: true }] }),
    );
    await query(project, `SELECT citus_schema_distribute('$schema')`);
    expect(await workerOf(project)).toBeDefined();
    await write();
    await expect(query(project, `SELECT citus_schema_undistribute('$schema')`)).rejects.toThrow('identity column');
    expect(await workerOf(project)).toBeDefined();
    await ok(project.put('/kind/unit/note', { parameters: ['label'] }));
    await write();
    await expectNoDrift(project);
  });

  it('a backup moves a project from Citus to PostgreSQL and back', async () => {
    const plain = `plain_${randomBytes(6).toString('hex')}`;
    await coordinator.query(['CREATE DATABASE', plain].join(' '));
    const folder = mkdtempSync(join(tmpdir(), 'kind-citus-'));
    atEnd(async () => {
      rmSync(folder, { recursive: true, force: true });
      await coordinator.query(['DROP DATABASE', plain, 'WITH (FORCE)'].join(' '));
    });
    const citusUrl = urlOf(inject('database'));
    const plainUrl = new URL(citusUrl);
    plainUrl.pathname = `/${plain}`;
    const kind = async (url: string, ...argv: string[]): Promise<void> => {
      let text = '';
      const add = (more: string): void => void (text += more);
      const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'fatal', DATA_DIR: folder }, folder);
      const code = await runCommandLine(argv, { out: add, err: add }, () => config);
      expect([code, text]).toEqual([0, text]);
    };
    const project = await wholeProject(await service.project());
    const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, `${name}.tar.gz`)) as [
      string,
      string,
      string,
    ];
    const copy = `${project.id}_copy`;
    await kind(citusUrl, 'project', 'backup', project.id, first);
    await kind(plainUrl.href, 'project', 'restore', first);
    await kind(plainUrl.href, 'project', 'backup', project.id, second);
    await kind(citusUrl, 'project', 'restore', second, '--as', copy);
    await kind(citusUrl, 'project', 'backup', copy, third);
    const copied = { ...project, id: copy } as typeof project;
    expect(await workerOf(copied)).toBeDefined();
    const [before, between, after] = await Promise.all([first, second, third].map((file) => contentsOf(file)));
    for (const [name, text] of before ?? []) {
      if (name === 'manifest.json') continue;
      expect([between?.get(name), after?.get(name)], name).toEqual([text, text]);
    }
  });

  it('temporary files of workers have the limit of the role', async () => {
    const own = await ownDatabase();
    const side = await sideConnection(own);
    const database = new URL(urlOf(own)).pathname.slice(1);
    await side.rows(['ALTER ROLE CURRENT_USER IN DATABASE', database, "SET temp_file_limit = '256kB'"].join(' '));
    const log = logLines();
    const project = await (await startServiceOn(own, {}, log.logger)).project();
    await defineKinds(project, { id: 'note', parameters: [{ id: 'body', kind_id: 'text' }] });
    for (let at = 0; at < 5; at += 1) {
      const bodies = Array.from({ length: 700 }, () => ({ body: randomBytes(750).toString('hex') }));
      await ok(project.post('/note/unit', bodies));
    }
    expect(log.of('warn').filter((line) => line.includes('temp_file_limit'))).toEqual([]);
    expect(refusalOf(await project.get('/note/unit?order=body&offset=3400&limit=1'))).toEqual({
      status: 400,
      messages: ['query.too_large'],
    });
    expect(refusalOf(await project.get('/note/export'))).toEqual({ status: 400, messages: ['query.too_large'] });
    expect(await ok(project.get('/note/unit?order=body&limit=1&include=id'))).toMatchObject({ count: 3500 });
  });

  it('each change of definitions is announced once, when it is committed', async () => {
    const project = await service.project();
    const heard: string[] = [];
    coordinator.on('notification', ({ payload = '' }) => payload.startsWith(`${project.id}:`) && heard.push(payload));
    await coordinator.query(['LISTEN', MODEL_CHANNEL].join(' '));
    // Citus keeps those that were committed in two phases for a while.
    const prepared = async (): Promise<string[]> => {
      const { rows } = await coordinator.query<{ gid: string }>('SELECT gid FROM pg_dist_transaction');
      return rows.map(({ gid }) => gid);
    };
    const before = await prepared();
    await defineKinds(project, NOTES);
    for (let n = 0; n < 10; n++) {
      // Tables on all servers change, then rows of one.
      await ok(project.put('/kind/unit/note', { parameters: ['label', { id: `p${n}`, kind_id: 'integer' }] }));
      await ok(project.put('/kind/unit/note', { label: `Note ${n}` }));
      expect((await project.put('/kind/unit/note', { parameters: ['nothing'] })).status).toBe(400);
    }
    const [row] = await query<{ version: string }>(project, 'SELECT "version" FROM $schema."_model"');
    const last = Number(row?.version);
    await expect.poll(() => heard.at(-1)).toBe(`${project.id}:${last}`);
    expect(heard).toEqual(Array.from({ length: last - 1 }, (_, n) => `${project.id}:${n + 2}`));
    expect((await prepared()).some((gid) => !before.includes(gid))).toBe(true);
  });
});

/** The role of DATABASE_URL needs no rights beyond those that docs/operations.md lists. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { createdId, ok } from '../../support/definitions.js';
import { logLines } from '../../support/log-lines.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');

it('the documented rights are enough in a shared database', async () => {
  const database = await ownDatabase();
  const side = await sideConnection(database);
  const [{ name = '' } = {}] = await side.rows<{ name: string }>('SELECT current_database()::text AS name');
  const role = `guest_${randomBytes(6).toString('hex')}`;
  const [grant = ''] = /^GRANT CONNECT, CREATE ON DATABASE .*;$/m.exec(guide) ?? [];
  await side.rows(['CREATE ROLE', role, "LOGIN PASSWORD 'guest'"].join(' '));
  atEnd(async () => {
    await side.rows(['GRANT', role, 'TO CURRENT_USER'].join(' '));
    await side.rows(['DROP OWNED BY', role, 'CASCADE'].join(' '));
    await side.rows(['DROP ROLE', role].join(' '));
  });
  await side.rows(['REVOKE ALL ON DATABASE', name, 'FROM PUBLIC'].join(' '));
  await side.rows(['GRANT CONNECT ON DATABASE', name, 'TO', role].join(' '));
  await side.rows('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  const url = new URL(urlOf(database));
  url.searchParams.set('user', role);
  url.searchParams.set('password', 'guest');
  await expect(startServiceOn({ url: url.href })).rejects.toMatchObject({
    name: 'DatabaseStartError',
    message: `DATABASE_URL: the registry of projects cannot be made or brought up to date: permission denied for database ${name}`,
  });
  await side.rows(grant.replace(/DATABASE \w+ TO \w+/, ['DATABASE', name, 'TO', role].join(' ')));
  const log = logLines();
  const started = await startServiceOn({ url: url.href }, {}, log.logger);
  const { app } = started.service;
  expect(log.of().filter((line) => /superuser|heard/.test(line))).toEqual([]);
  const unlimited = log.of('warn').filter((line) => line.includes('GRANT SET ON PARAMETER temp_file_limit'));
  expect(unlimited).toHaveLength(1);
  const provisioning = app.get(Provisioning);
  const project = await started.project();
  await ok(project.post('/kind/unit', { id: 'land', parameters: [{ id: 'name', kind_id: 'string', indexed: true }] }));
  await ok(
    project.post('/kind/unit', {
      id: 'city',
      parameters: ['name', { id: 'land', kind_id: 'unit', reference_kind: 'land', on_delete: 'cascade' }],
    }),
  );
  const id = await createdId(project.post('/land/unit', { name: 'Italy' }));
  await ok(project.post('/city/unit', { name: 'Rome', land: id }));
  await ok(project.get('/city/unit?filter=eq(land.name,Italy)'));
  await ok(project.put('/string/unit/name', { unique: true }));
  await provisioning.migrate(project.id);
  await app.get(IndexBuilder).finish();
  await ok(project.delete(`/land/unit/${id}`));
  await provisioning.delete(project.id);
});

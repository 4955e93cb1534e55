/** Work in the background while PostgreSQL is away: the service logs the outage once (`service.ts`), not each part. */
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import { ProjectUpgrades } from '../../../src/catalog/project/project-upgrades.js';
import type { Provisioning } from '../../../src/catalog/project/provisioning.js';
import type { Database } from '../../../src/database/database.js';
import type { ProjectRepository } from '../../../src/database/registry/project.repository.js';
import { commonRefusal } from '../../../src/database/statement/sqlstate.js';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { CountChecker } from '../../../src/unit/table/stored-counts.js';
import { logLines } from '../../support/log-lines.js';

const nest = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
afterEach(() => nest.mockClear());

/** What every part of the work in the background logs if each of its statements fails. */
async function linesAfter(error: Error): Promise<string[]> {
  const fails = (): Promise<never> => Promise.reject(commonRefusal(error) ?? error);
  const database = { run: fails, transaction: fails } as unknown as Database;
  const registry = { unindexed: fails, deleting: fails } as unknown as ProjectRepository;
  const outdated = async function* () {
    yield await fails();
  };
  const log = logLines();
  const maintenance = new ProjectUpgrades({ outdated } as unknown as Provisioning, registry, log.logger);
  maintenance.watch();
  await new Promise((resolve) => setImmediate(resolve));
  await maintenance.onModuleDestroy();
  await new IndexBuilder(database, registry, new MetricSources()).finish();
  const checker = new CountChecker(database);
  for (const table of ['city', 'land']) checker.noteUse('project_a', { table } as never);
  await checker.check({ all: true });
  await checker.onModuleDestroy();
  return [...log.of(), ...nest.mock.calls.map(([line]) => String(line))];
}

it('leaves no line while PostgreSQL does not answer', async () => {
  expect(await linesAfter(new Error('Connection terminated unexpectedly'))).toEqual([]);
});

it('says other causes in words, without codes', async () => {
  const lines = await linesAfter(Object.assign(new Error('disk'), { code: '53100', severity: 'ERROR' }));
  expect(lines).toEqual([
    'upgrades and deletions of projects are not finished: tried again in a minute',
    expect.stringContaining('The database is out of disk space or memory'),
    expect.stringMatching(/^project_a\.city: .* The database is out of disk space or memory$/),
    expect.stringMatching(/^project_a\.land: .* The database is out of disk space or memory$/),
  ]);
});

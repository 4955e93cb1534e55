/** Sizes of projects on disk: measured in steps, of which each may fail, and for each project that has an id. */
import { afterEach, expect, it, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { measureStorage, StorageSizes } from '../../../src/catalog/project/storage-sizes.js';
import type { Database } from '../../../src/database/database.js';
import type { Statement } from '../../../src/sql/fragment.js';
import type { Project } from '../../../src/tenancy/project.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const { app, database } = service.service;

afterEach(() => void vi.restoreAllMocks());

async function found(id: string): Promise<Project> {
  const project = await app.get(ProjectStore).find(id);
  if (!project) throw new Error(`no project ${id}`);
  return project;
}

/** Sizes of a database that ends steps of more tables than it can measure in time. */
function slowSizes(tables: number) {
  const steps: number[] = [];
  const run = (statement: Statement) => {
    steps.push(statement.points ?? 0);
    if ((statement.points ?? 0) > tables) return Promise.reject(new Error('took too long'));
    return database.run(statement);
  };
  return { steps, sizes: new StorageSizes({ withTimeout: () => ({ run }) } as unknown as Database) };
}

it('steps that take too long are made smaller, and go on where they were', async () => {
  const { id } = await service.project();
  const project = await found(id);
  const all = await measureStorage(database, project.schema);
  expect(all).toBeGreaterThan(100_000);
  const { steps, sizes } = slowSizes(3);
  let passed = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  // It fails with 100 tables, 50, 25, 13, 7 and 4, each a minute after the one before.
  for (const tables of [100, 50, 25, 13, 7, 4]) {
    expect(sizes.lastKnown(project)).toBeUndefined();
    await expect.poll(() => steps.at(-1)).toBe(tables);
    // Before the minute is over, it is not tried again.
    expect(sizes.lastKnown(project)).toBeUndefined();
    passed += 61_000;
  }
  expect(steps).toEqual([100, 50, 25, 13, 7, 4]);
  await expect.poll(() => sizes.lastKnown(project)).toBe(all);
  expect(new Set(steps.slice(6))).toEqual(new Set([2]));
  expect(steps.length).toBeGreaterThan(8);
});

it('a project that was deleted and made again has no size until it is measured', async () => {
  const { id } = await service.project();
  const sizes = new StorageSizes(database);
  const project = await found(id);
  await expect.poll(() => sizes.lastKnown(project)).toBeGreaterThan(0);
  await app.get(Provisioning).delete(id);
  await app.get(Provisioning).create({ id });
  app.get(ProjectStore).forget(id);
  const later = await found(id);
  expect(sizes.lastKnown(later)).toBeUndefined();
  await expect.poll(() => sizes.lastKnown(later)).toBeGreaterThan(0);
});

/**
 * The cache of projects: changes in the registry take effect with the next request, and unknown keys do not query it.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ProjectRepository } from '../../../src/database/registry/project.repository.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { refusalOf } from '../../support/definitions.js';
import { startTestService, TestProject } from '../../support/service.js';

const service = await startTestService();
const { app } = service.service;
const store = app.get(ProjectStore);
const registry = app.get(ProjectRepository);
const UNKNOWN = { status: 401, messages: ['project.unknown'] };

afterEach(() => void vi.restoreAllMocks());

/** Holds what the next question to the registry brings, until it is let go. */
function holdNextFind(): { held: Promise<void>; release: () => void } {
  const find = registry.find.bind(registry);
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  let arrived = (): void => undefined;
  const held = new Promise<void>((resolve) => (arrived = resolve));
  vi.spyOn(registry, 'find').mockImplementationOnce(async (id) => {
    const row = await find(id);
    arrived();
    await gate;
    return row;
  });
  return { held, release: () => release() };
}

describe('a project in memory', () => {
  it.each([
    { name: 'forgotten', news: (id: string) => store.forget(id) },
    { name: 'forgotten with all others', news: () => store.clear() },
  ])('is not the one that was read before it was $name', async ({ news }) => {
    const { id } = await service.project();
    await expect.poll(async () => (await store.find(id))?.label).toBe(id);
    store.forget(id);
    const question = holdNextFind();
    const late = store.find(id);
    await question.held;
    await app.get(Provisioning).set(id, { label: 'News' });
    news(id);
    question.release();
    await late;
    expect(await store.find(id)).toMatchObject({ label: 'News' });
  });

  it('is loaded once for concurrent requests', async () => {
    const { id } = await service.project();
    store.forget(id);
    const find = vi.spyOn(registry, 'find');
    await Promise.all(Array.from({ length: 20 }, async () => store.find(id)));
    expect(find).toHaveBeenCalledTimes(1);
  });
});

it('is not created if its schema exists, and the error says what to do', async () => {
  const { id } = await service.project();
  const { database } = service.service;
  const column = (name: string) => `"${name}"`;
  await database.run({ text: 'DELETE FROM "kind"."project" WHERE "id" = $1', values: [id] });
  await expect(app.get(Provisioning).create({ id })).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(
      `^project\\.exists: The schema project_${id} is there, but the registry has no project '${id}'.*"Moving a tenant"`,
    ),
  });
  // The row that belongs to it makes it a project again.
  await database.run({
    text: `INSERT INTO "kind"."project" (${['id', 'label'].map(column).join(', ')}) VALUES ($1, $1)`,
    values: [id],
  });
  await expect.poll(() => store.find(id)).toMatchObject({ id });
  await expect(app.get(Provisioning).create({ id })).rejects.toMatchObject({
    message: `project.exists: A project '${id}' exists already`,
  });
});

/** From now on it is that much later, by the clock of the stores. */
function later(milliseconds: number): void {
  const now = performance.now() + milliseconds;
  vi.spyOn(performance, 'now').mockReturnValue(now);
}

describe('a project without a notification', () => {
  it('is known after a minute', async () => {
    const { id } = await service.project();
    const row = await registry.find(id);
    const find = vi.fn(() => Promise.resolve(row && { ...row, label: 'old' }));
    const other = new ProjectStore({ find } as unknown as ProjectRepository, 'secret');
    expect(await other.find(id)).toMatchObject({ label: 'old' });
    find.mockResolvedValue(row && { ...row, label: 'new' });
    expect(await other.find(id)).toMatchObject({ label: 'old' });
    later(61_000);
    await vi.waitFor(async () => expect(await other.find(id)).toMatchObject({ label: 'new' }));
    expect(find).toHaveBeenCalledTimes(2);
  });
});

describe('a key that names no project', () => {
  it('is looked up once a second, and is not kept in memory', async () => {
    const find = vi.spyOn(registry, 'find');
    const stranger = new TestProject(service.service, 'nobody_here', undefined);
    for (let at = 0; at < 10; at++) expect(refusalOf(await stranger.get('/kind/unit'))).toEqual(UNKNOWN);
    expect(find.mock.calls.filter(([id]) => id === stranger.id).length).toBeLessThanOrEqual(2);
    find.mockClear();
    later(1100);
    await vi.waitFor(async () => {
      await stranger.get('/kind/unit');
      expect(find).toHaveBeenCalledTimes(1);
    });
  });

  it('is valid as soon as the project is created', async () => {
    const id = 'made_after_a_miss';
    const early = new TestProject(service.service, id, undefined);
    expect(refusalOf(await early.get('/kind/unit'))).toEqual(UNKNOWN);
    const forget = vi.spyOn(store, 'forget');
    await app.get(Provisioning).create({ id });
    await expect.poll(() => forget.mock.calls).toContainEqual([id]);
    expect(refusalOf(await early.get('/kind/unit'))).not.toEqual(UNKNOWN);
  });

  it('is looked up again after the memory is cleared', async () => {
    expect(await store.find('nobody_there')).toBeUndefined();
    const find = vi.spyOn(registry, 'find');
    expect(store.find('nobody_there')).toBeUndefined();
    store.clear();
    await store.find('nobody_there');
    expect(find).toHaveBeenCalledTimes(1);
  });
});

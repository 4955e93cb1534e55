/** How many models stay in memory: they are weighed by what they take, and one that is larger than all stays too. */
import { describe, expect, it } from 'vitest';
import { loadModel, modelCache, ModelStore } from '../../../src/catalog/model-store.js';
import type { Model } from '../../../src/model/model.js';
import { ok } from '../../support/definitions.js';
import { startTestService, type TestProject } from '../../support/service.js';

const service = await startTestService();
const { app, database } = service.service;

const keyOf = (id: string) => ({ id, schema: `project_${id}`, label: '', settings: {} });
const load = (project: TestProject): Promise<Model> => loadModel(database, keyOf(project.id));

describe('models in memory', () => {
  it('thousands of small projects fit', async () => {
    const model = await load(await service.project());
    const models = app.get(ModelStore);
    const ids = Array.from({ length: 4000 }, (_, at) => `small_${at}`);
    for (const id of ids) models.publish(keyOf(id), model);
    expect(ids.filter((id) => models.get(keyOf(id)) === model)).toHaveLength(ids.length);
    models.clear();
  });

  it('one with very many fields is kept too', () => {
    const models = app.get(ModelStore);
    const fields = new Map(Array.from({ length: 300_000 }, (_, at) => [String(at), {}]));
    const model = { version: 1, kinds: new Map([['huge', { fields }]]) } as unknown as Model;
    models.publish(keyOf('huge'), model);
    expect(models.get(keyOf('huge'))).toBe(model);
    models.clear();
  });

  it('are weighed by the definitions that are stored, whatever their version', async () => {
    const [small, large] = [await service.project(), await service.project()];
    const parameters = Array.from({ length: 100 }, (_, at) => ({
      id: `p${at}`,
      kind_id: 'string',
      label: 'x'.repeat(400),
    }));
    await ok(large.post('/kind/unit', { id: 'city', parameters }));
    const [light, heavy] = [await load(small), await load(large)];
    const cache = modelCache(200_000);
    cache.set('light', { model: light, time: 1 });
    expect(cache.calculatedSize).toBeGreaterThan(50_000);
    expect(cache.calculatedSize).toBeLessThan(80_000);
    cache.set('heavy', { model: { ...heavy, version: 9 }, time: 2 });
    expect(cache.calculatedSize).toBeGreaterThan(150_000);
  });

  it('one that is larger than all may be takes the place of the others, and gives it back', async () => {
    const model = await load(await service.project());
    const cache = modelCache(60_000);
    const tiny = modelCache(10);
    tiny.set('only', { model, time: 1 });
    expect([...tiny.keys()]).toEqual(['only']);
    for (const id of ['a', 'b', 'c']) cache.set(id, { model, time: 1 });
    expect([...cache.keys()]).toEqual(['c']);
  });
});

/** The cache of models is limited by their estimated size; a model that is larger than the cache is kept as well. */
import { describe, expect, it } from 'vitest';
import { ModelCache } from '../../../src/catalog/model/model-cache.js';
import { loadModel, ModelStore } from '../../../src/catalog/model/model-store.js';
import type { Model } from '../../../src/model/model.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { ok } from '../../support/definitions.js';
import { startTestService, type TestProject } from '../../support/service.js';

const service = await startTestService();
const { app, database } = service.service;

const keyOf = (id: string) => projectOf({ id, schemaId: null, label: '', settings: {} });
const load = (project: TestProject): Promise<Model> => loadModel(database, keyOf(project.id));

describe('models in memory', () => {
  it('thousands of small projects fit', async () => {
    const model = await load(await service.project());
    const models = app.get(ModelStore);
    const ids = Array.from({ length: 2500 }, (_, at) => `small_${at}`);
    for (const id of ids) models.publish(keyOf(id), model);
    expect(ids.filter((id) => models.get(keyOf(id)) === model)).toHaveLength(ids.length);
    models.clear();
  });

  it('one with very many fields is kept too', () => {
    const models = app.get(ModelStore);
    const fields = new Map(Array.from({ length: 300_000 }, (_, at) => [String(at), {}]));
    const model = { version: 1, kinds: new Map([['huge', { fields }]]), originals: 'all' } as unknown as Model;
    models.publish(keyOf('huge'), model);
    expect(models.get(keyOf('huge'))).toBe(model);
    models.clear();
  });

  it('are weighed by their stored definitions, whatever their version', async () => {
    const [small, large] = [await service.project(), await service.project()];
    const parameters = Array.from({ length: 100 }, (_, at) => ({
      id: `p${at}`,
      kind_id: 'string',
      label: 'x'.repeat(400),
    }));
    await ok(large.post('/kind/unit', { id: 'city', parameters }));
    const [light, heavy] = [await load(small), await load(large)];
    const cache = new ModelCache(2_000_000);
    cache.set('light', { model: light, time: 1 });
    expect(cache.bytes).toBeGreaterThan(25_000);
    expect(cache.bytes).toBeLessThan(55_000);
    cache.set('heavy', { model: { ...heavy, version: 9 }, time: 2 });
    expect(cache.bytes).toBeGreaterThan(120_000);
  });

  it('a model above the limit is kept, and displaces no other one', async () => {
    const model = await load(await service.project());
    const large = await service.project();
    const parameters = Array.from({ length: 100 }, (_, at) => ({
      id: `p${at}`,
      kind_id: 'string',
      label: 'x'.repeat(400),
    }));
    await ok(large.post('/kind/unit', { id: 'city', parameters }));
    const giant = await load(large);
    const cache = new ModelCache(400_000);
    for (const id of ['a', 'b', 'c', 'd']) cache.set(id, { model, time: 1 });
    for (const id of ['x', 'y', 'z']) cache.set(id, { model: giant, time: 1 });
    const kept = () => ['a', 'b', 'c', 'd', 'w', 'x', 'y', 'z'].filter((id) => cache.peek(id));
    expect(kept()).toEqual(['a', 'b', 'c', 'd', 'y', 'z']);
    expect(cache.get('z')?.model).toBe(giant);
    // One that shrinks is one of the others again, and one that grows is not.
    cache.set('z', { model, time: 2 });
    cache.set('a', { model: giant, time: 2 });
    expect(kept()).toEqual(['a', 'b', 'c', 'd', 'y', 'z']);
    cache.set('w', { model: giant, time: 3 });
    expect(kept()).toEqual(['a', 'b', 'c', 'd', 'w', 'z']);
    cache.delete('a');
    expect(cache.get('a')).toBeUndefined();
  });

  it('two versions share unchanged definitions and fields', async () => {
    const project = await service.project();
    for (const id of ['town', 'lake']) {
      const parameters = [{ id: `${id}_name`, kind_id: 'string' }];
      await ok(project.post('/kind/unit', { id, parameters }));
    }
    const known = await load(project);
    await ok(project.put('/string/unit/town_name', { max_length: 9 }));
    const after = await loadModel(database, keyOf(project.id), { known });
    const fields = (model: Model, id: string) => model.kinds.get(id)?.fields;
    expect(fields(after, 'lake')).toBe(fields(known, 'lake'));
    expect(fields(after, 'kind')).toBe(fields(known, 'kind'));
    expect(fields(after, 'town')).not.toBe(fields(known, 'town'));
    expect(after).toEqual(await load(project));
    // What is worked out of a kind may depend on others.
    expect(after.kinds.get('lake')).not.toBe(known.kinds.get('lake'));
  });
});

import { expect, it, vi } from 'vitest';
import { referencesTo } from '../../../src/model/model.js';
import { kind, modelWith, parameter } from '../../support/models.js';

const COUNT = 50;
const ids = Array.from({ length: COUNT }, (_, at) => `kind${at}`);

/** Kinds in a circle: each refers to the next one. */
const model = modelWith({
  kinds: ids.map((id, at) => kind(id, [`of${(at + 1) % COUNT}`, 'never', 'name'])),
  parameters: [
    parameter('name', 'string'),
    parameter('never', 'unit', { reference_kind: 'kind1', only_run_time: true, persistence: 'run_time' }),
    ...ids.map((id, at) => parameter(`of${at}`, 'unit', { reference_kind: id })),
  ],
});

it('references to all kinds are looked for once in a model', () => {
  const looks = vi.spyOn(model.kinds, 'values');
  const found = ids.map((id) => referencesTo(model, id).map((each) => `${each.kind.id}.${each.field.id}`));
  expect(found).toEqual(ids.map((_, at) => [`kind${(at + COUNT - 1) % COUNT}.of${at}`]));
  expect(looks).toHaveBeenCalledTimes(1);
  expect(referencesTo({ ...model, version: model.version + 1 }, 'kind0')).toBe(referencesTo(model, 'kind0'));
});

/** Thousands of projects have the same built-in kinds: their models share the fields, and nothing that a project can change. */
import { expect, it } from 'vitest';
import { builtInRecords, buildModel } from '../../../src/model/build/build-model.js';

it('models of different projects share the fields of built-in kinds, and have kinds of their own', () => {
  const [one, other] = [buildModel(builtInRecords()), buildModel(builtInRecords())];
  for (const [id, kind] of one.kinds) {
    expect(other.kinds.get(id)).not.toBe(kind);
    expect(other.kinds.get(id)).toEqual(kind);
    expect(other.kinds.get(id)?.fields).toBe(kind.fields);
  }
});

it('a built-in kind that a project has changed is as it was changed, in this project only', () => {
  const records = builtInRecords();
  const access = { read: 'admin' };
  const kinds = records.kinds.map((kind) => (kind.id === 'link' ? { ...kind, label: 'Tie', access } : kind));
  const changed = buildModel({ ...records, kinds });
  expect(changed.kinds.get('link')).toMatchObject({ label: 'Tie', access });
  expect(buildModel(records).kinds.get('link')).toMatchObject({
    label: expect.not.stringMatching('Tie'),
    access: null,
  });
});

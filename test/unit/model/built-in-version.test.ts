/** Existing projects are upgraded only if the version of the built-in model is raised. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { BUILT_IN_VERSION } from '../../../src/model/built-in/built-in.js';
import { buildModel, builtInRecords } from '../../../src/model/build/build-model.js';
import { tableShapes } from '../../../src/model/table/required-tables.js';

/** What is stored of the built-in model: tables, and the ids and lists of its records. */
function storedParts(): string {
  const { kinds, groups, links } = builtInRecords();
  const records = [
    kinds.map(({ id, parameters }) => [id, parameters]),
    groups.map(({ id, kind_list }) => [id, kind_list]),
    links.map(({ id }) => id),
  ];
  const tables = [...tableShapes(buildModel(builtInRecords())).values()];
  return JSON.stringify([tables, records], inKeyOrder);
}

function inKeyOrder(_: string, value: unknown): unknown {
  if (value instanceof Map) return [...(value as Map<string, unknown>)];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

it('a change of the built-in tables raises the version', () => {
  const digest = createHash('sha256').update(storedParts()).digest('hex').slice(0, 16);
  expect(
    [BUILT_IN_VERSION, digest],
    'The built-in model has changed: raise BUILT_IN_VERSION (src/model/built-in/built-in.ts), then write the new pair here',
  ).toEqual([15, '0e53c624f12bdd72']);
});

/** Writes have few texts: what differs between requests is bound as parameters. */
import { describe, expect, it } from 'vitest';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { updateStatement } from '../../../src/sql/write/update.sql.js';
import { insertStatement } from '../../../src/sql/write/insert.sql.js';
import { deleteStatement, lockAsEditStatement, lockStatement } from '../../../src/sql/write/delete.sql.js';
import { type UpdatePlan } from '../../../src/sql/write/written-rows.sql.js';
import { rowParams, rowsText } from '../../../src/sql/write/input-rows.sql.js';
import { CITY } from './model.support.js';

const fields = [...CITY.fields.values()];
const written = fields.filter(({ id }) => id === 'name' || id === 'size');
const plan = (version: number): UpdatePlan => ({
  ...{ schema: 'project_x', kind: CITY, version, written, fields },
  ...{ id: 'x', access: undefined, shown: undefined, allowed: undefined, tags: undefined, guarded: [] },
});

const rows = (version: number) => [{ name: `n${version}` }, { name: 'other' }];

describe('a write', () => {
  it.each([
    ['insert', (version: number) => insertStatement(plan(version), { params: [`n${version}`, version] })],
    ['insert of several', (version: number) => insertStatement(plan(version), runSync(rowsText(rows(version))))],
    ['update', (version: number) => updateStatement(plan(version), { params: [`n${version}`, version] })],
    ['update by JSON', (version: number) => updateStatement(plan(version), runSync(rowsText(rows(version))))],
    ['delete', (version: number) => deleteStatement(plan(version))],
  ])('has one text for all versions of the model: %s', (_, statement) => {
    expect(statement(41).text).toBe(statement(42).text);
    expect(statement(41).values).toContain(41);
    expect(statement(42).prepare).toBe(true);
  });

  it.each([
    ['insert', insertStatement(plan(1), { params: ['x', 1] })],
    ['update', updateStatement(plan(1), { params: ['x', 1] })],
    ['delete', deleteStatement(plan(1))],
    ['lock', lockStatement(plan(1), true)],
    ['lock as an edit', lockAsEditStatement(plan(1))],
  ])('reads the version of the model once, where it decides whether anything is written: %s', (_, { text }) => {
    expect(text.match(/"_model"\) = \$\d+::bigint/g)).toHaveLength(1);
    expect(text.match(/"_model"/g)).toHaveLength(1);
  });
});

describe('an edit', () => {
  const target = (id: string) => ({ field: CITY.fields.get(id) ?? CITY.keyField, keys: [] });
  const linked = Array.from({ length: LIMITS.relatedKinds }, (_, at) => ({
    kind: { ...CITY, id: `kind_${at}`, table: `kind_${at}` },
    access: undefined,
    filter: { op: 'order', target: target('size'), than: 'gt', value: 5 } satisfies Predicate,
  }));
  const via = { type: 'link', link: 'link', direction: 'child', everyKind: false, where: undefined } as const;
  const rule: Predicate = { op: 'exists', related: { via, of: CITY, kinds: linked } };
  const edit = (condition: Predicate) =>
    updateStatement(
      { ...plan(1), access: { op: 'and', parts: [rule, condition] }, shown: rule, allowed: condition },
      { params: ['x', 1] },
    );

  it('tests rules over linked units of many kinds once each, as it cannot change their result', () => {
    const { text } = edit(rule);
    expect(text.split('"kind_499" AS').length - 1).toBe(2);
  });

  it('tests what it changes again', () => {
    const { text } = edit({ op: 'and', parts: [rule, { op: 'isnull', target: target('name'), value: true }] });
    expect(text.split('"kind_499" AS').length - 1).toBe(2);
    expect(text).toContain('"_n"."name" IS NULL');
  });
});

describe('the parameters of a row', () => {
  const json = fields.filter(({ id }) => id === 'metadata');

  it('are its values, and null where it has none', () => {
    expect(rowParams(written, { name: 'x' })).toEqual({ params: ['x', null] });
  });

  it('are texts for JSON, with null as the null value', () => {
    expect(rowParams(json, { metadata: { a: [1, null] } })).toEqual({ params: ['{"a":[1,null]}'] });
    expect(rowParams(json, { metadata: null })).toEqual({ params: [null] });
  });

  it('do not exist for a value that is written to JSON in pieces', () => {
    expect(rowParams(json, { metadata: { list: Array(6000).fill(0) } })).toBeUndefined();
  });
});

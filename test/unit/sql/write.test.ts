/** Writes have few texts: what differs between requests is bound as parameters. */
import { describe, expect, it } from 'vitest';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import {
  deleteStatement,
  insertStatement,
  rowsText,
  updateStatement,
  type UpdatePlan,
} from '../../../src/sql/write.sql.js';
import { CITY } from './model.support.js';

const fields = [...CITY.fields.values()];
const written = fields.filter(({ id }) => id === 'name' || id === 'size');
const plan = (version: number): UpdatePlan => ({
  ...{ schema: 'project_x', kind: CITY, version, written, fields },
  ...{ id: 'x', access: undefined, shown: undefined, allowed: undefined, tags: undefined },
});

describe('a write', () => {
  it.each([
    ['insert', (version: number) => insertStatement(plan(version), runSync(rowsText([{ name: `n${version}` }])))],
    ['update', (version: number) => updateStatement(plan(version), runSync(rowsText([{ name: `n${version}` }])))],
    ['delete', (version: number) => deleteStatement(plan(version))],
  ])('has one text for all versions of the model: %s', (_, statement) => {
    expect(statement(41).text).toBe(statement(42).text);
    expect(statement(41).values).toContain(41);
    expect(statement(42).prepare).toBe(true);
  });
});

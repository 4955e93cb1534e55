/** The queries that a process remembers are bounded, for each project and for all, and what is stored holds no values. */
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/model/model.js';
import { MAX_QUERIES, SlowQueries } from '../../../src/unit/tuning/slow-queries.js';

const model = { version: 1 } as Model;
const missing = [{ kind: 'city', parameters: ['name'], inside: false, why: '', read: 5000, found: 1 }];
const call = (schema: string, text: string, milliseconds = 1, value = 'x') => ({
  schema,
  milliseconds,
  model,
  statement: { text, values: [value] },
});
const examine = (queries: SlowQueries, schema: string, now: number) => {
  const due = queries.takeDue(schema, now);
  if (due) due.missing = missing;
  return due?.last.statement.text;
};

describe('the slow queries', () => {
  it('add the calls of a statement, whatever its values, and begin again when they are taken', () => {
    const queries = new SlowQueries();
    queries.note(call('a', 'list', 2, 'x'), 0);
    queries.note(call('a', 'list', 5, 'a secret value'), 1);
    queries.note(call('a', 'fast list', 0.9), 1);
    expect(queries.size).toBe(1);
    expect(queries.take('a', 2)).toEqual([]);
    examine(queries, 'a', 3);
    expect(queries.take('a', 4)).toEqual([{ id: 'city (name)', calls: 2, milliseconds: 7, missing: missing[0] }]);
    expect(queries.take('a', 5)).toEqual([]);
    queries.note(call('a', 'list', 3), 6);
    expect(queries.take('a', 7)).toEqual([{ id: 'city (name)', calls: 1, milliseconds: 3, missing: missing[0] }]);
  });

  it('10,000 statements of one project take the room of fifty, and none of its neighbour', () => {
    const queries = new SlowQueries();
    queries.note(call('neighbour', 'its list'), 0);
    queries.note(call('flood', 'the slowest', 900), 0);
    for (let n = 0; n < 10_000; n += 1) queries.note(call('flood', `list ${n}`, 50), n);
    expect(queries.size).toBe(MAX_QUERIES.project + 1);
    expect(examine(queries, 'neighbour', 10_000)).toBe('its list');
    expect(examine(queries, 'flood', 10_000)).toBe('the slowest');
  });

  it('many projects take at most the room of the process, and those that are in it stay', () => {
    const queries = new SlowQueries();
    queries.note(call('first', 'list'), 0);
    for (let n = 0; n < MAX_QUERIES.process + 500; n += 1) queries.note(call(`p${n % 1000}`, `list ${n}`), n);
    expect(queries.size).toBe(MAX_QUERIES.process);
    queries.note(call('late', 'list'), 99_999);
    expect(examine(queries, 'late', 99_999)).toBeUndefined();
    expect(examine(queries, 'first', 99_999)).toBe('list');
  });

  it('examines each once in ten minutes, those that take the most time first, projects in turn', () => {
    const queries = new SlowQueries();
    for (let n = 1; n <= 3; n += 1) queries.note(call('a', `list ${n}`, n), 0);
    queries.note(call('b', 'list'), 0);
    expect(queries.schemas).toEqual(['a', 'b']);
    expect(examine(queries, 'a', 0)).toBe('list 3');
    expect(queries.schemas).toEqual(['b', 'a']);
    expect([examine(queries, 'a', 0), examine(queries, 'a', 0), examine(queries, 'a', 0)]).toEqual([
      'list 2',
      'list 1',
      undefined,
    ]);
    queries.note(call('a', 'list 1'), 600_000);
    expect(examine(queries, 'a', 599_999)).toBeUndefined();
    expect(examine(queries, 'a', 600_000)).toBe('list 3');
  });

  it('forgets what was not called for ten minutes', () => {
    const queries = new SlowQueries();
    queries.note(call('a', 'list'), 0);
    queries.take('a', 599_999);
    expect(queries.size).toBe(1);
    queries.take('a', 600_000);
    expect([queries.size, queries.schemas]).toEqual([0, []]);
  });
});

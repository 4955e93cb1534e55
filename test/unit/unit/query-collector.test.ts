/** The queries that a process remembers are bounded, for each project and for all, and hold no values. */
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/model/model.js';
import { MAX_SHAPES, QueryCollector } from '../../../src/unit/tuning/query-collector.js';

const model = { version: 1 } as Model;
const call = (schema: string, shape: string, milliseconds = 1, value = 'x') => ({
  schema,
  shape,
  milliseconds,
  model,
  statement: { text: `SELECT 1 -- ${shape}`, values: [value] },
});

describe('the collector of queries', () => {
  it('adds the calls of a shape, and begins again when they are taken', () => {
    const collector = new QueryCollector();
    collector.note(call('a', 'list', 2), 0);
    collector.note(call('a', 'list', 5), 1);
    const both = { id: 'list', calls: 2, milliseconds: 7, slowest: 5, missing: null };
    expect(collector.take('a', 2)).toEqual([both]);
    expect(collector.take('a', 3)).toEqual([]);
    collector.note(call('a', 'list', 3), 4);
    expect(collector.take('a', 5)).toEqual([{ ...both, calls: 1, milliseconds: 3, slowest: 3 }]);
  });

  it('10,000 shapes of one project take the room of a hundred, and none of its neighbour', () => {
    const collector = new QueryCollector();
    collector.note(call('neighbour', 'its list'), 0);
    collector.note(call('flood', 'the slowest', 900), 0);
    for (let n = 0; n < 10_000; n += 1) collector.note(call('flood', `list ${n}`, 50), n);
    expect(collector.size).toBe(MAX_SHAPES.project + 1);
    expect(collector.take('neighbour', 10_000)).toMatchObject([{ id: 'its list', calls: 1 }]);
    const kept = collector.take('flood', 10_000).map(({ id }) => id);
    expect(kept).toHaveLength(MAX_SHAPES.project);
    expect(kept).toContain('the slowest');
  });

  it('many projects take at most the room of the process, and those that are in it stay', () => {
    const collector = new QueryCollector();
    collector.note(call('first', 'list'), 0);
    for (let n = 0; n < MAX_SHAPES.process + 500; n += 1) collector.note(call(`p${n % 1000}`, `list ${n}`), n);
    expect(collector.size).toBe(MAX_SHAPES.process);
    collector.note(call('late', 'list'), 99_999);
    expect(collector.schemas).not.toContain('late');
    expect(collector.take('first', 99_999)).toHaveLength(1);
  });

  it('keeps few statements: of the shapes that take the most time, each examined once in ten minutes', () => {
    const collector = new QueryCollector();
    for (let n = 1; n <= 50; n += 1) collector.note(call('a', `list ${n}`, n), 0);
    const taken = () => {
      const shapes: string[] = [];
      for (let next = collector.takeSample('a', 0); next; next = collector.takeSample('a', 0)) shapes.push(next.shape);
      return shapes;
    };
    expect(taken()).toEqual(['list 50', 'list 49', 'list 48', 'list 47']);
    collector.note(call('a', 'list 50', 60), 599_999);
    expect(taken()).toEqual([]);
    collector.note(call('a', 'list 50', 60), 600_000);
    expect(taken()).toEqual(['list 50']);
  });

  it('forgets what was not called for ten minutes', () => {
    const collector = new QueryCollector();
    collector.note(call('a', 'list'), 0);
    collector.take('a', 599_999);
    expect(collector.size).toBe(1);
    collector.take('a', 600_000);
    expect([collector.size, collector.schemas]).toEqual([0, []]);
  });

  it('what is stored has no value of a statement', () => {
    const collector = new QueryCollector();
    collector.note(call('a', 'list', 1, 'a secret value'), 0);
    expect(JSON.stringify(collector.take('a', 0))).not.toContain('secret');
  });
});

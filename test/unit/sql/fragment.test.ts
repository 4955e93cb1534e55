import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import pg from 'pg';
import { clientOptions } from '../../../src/database/connection/connection.js';
import {
  all,
  EMPTY_SQL,
  Fragment,
  ident,
  integer,
  isWrite,
  join,
  literal,
  param,
  render,
  plannedTable,
  sql,
} from '../../../src/sql/fragment.js';

const text = (fragment: Fragment) => render(fragment).text;

it.each([
  ['INSERT INTO "a"."city" ("name") VALUES ($1)', true],
  ['WITH "gone" AS (DELETE FROM "a"."city" RETURNING 1) SELECT 1', true],
  ['UPDATE "a"."city" SET "name" = $1', true],
  ['SELECT "UPDATE", "INSERT INTO" FROM "a"."DELETE FROM"', false],
  ['SELECT 1', false],
])('a statement that changes rows is known: %s', (statement, expected) => {
  expect(isWrite({ text: statement, values: [] })).toBe(expected);
});

describe('a fragment', () => {
  it('is text with numbered parameters; one object is bound once', () => {
    const name = param("x' OR 1=1 --");
    const made = render(
      sql`SELECT ${name} AS a, ${param(5)}, ${name} WHERE ${ident('t', 'a"b')} = ${literal("it's")}`,
      true,
    );
    expect(made).toEqual({
      text: `SELECT $1 AS a, $2, $1 WHERE "t"."a""b" = 'it''s'`,
      values: ["x' OR 1=1 --", 5],
      prepare: true,
    });
    expect(render(sql`SELECT ${param('x')}, ${param('x')}`).values).toEqual(['x', 'x']);
  });

  it('can be joined, and no conditions are true', () => {
    expect(text(join([sql`a`, sql`b`, EMPTY_SQL]))).toBe('a, b, ');
    expect(text(join([]))).toBe('');
    expect(text(join([sql`a`, sql`b`], ' OR '))).toBe('a OR b');
    expect(text(all([undefined, sql`a`, undefined, sql`b`]))).toBe('a AND b');
    expect(text(all([undefined]))).toBe('true');
  });

  it('has line breaks only for readability: they are not sent', () => {
    const nested = sql`
      (
        SELECT 1
      )::int
    `;
    const made = sql`
      SELECT ${nested} AS one, 'two  spaces', 'a
      line', ARRAY[
        ${nested},
        2
      ]
      FROM (
        ${nested}
      )
      WHERE "a  b"  =  1
    `;
    expect(text(made)).toBe(
      `SELECT (SELECT 1)::int AS one, 'two  spaces', 'a\n      line', ARRAY[(SELECT 1)::int, 2] FROM ((SELECT 1)::int) WHERE "a  b"  =  1`,
    );
    expect(text(sql` LEFT JOIN a `)).toBe(' LEFT JOIN a ');
    expect(
      () => sql`
      SELECT 1 -- and a comment
      FROM a
    `,
    ).toThrow(/comments/);
    expect(text(sql`SELECT '--' AS "--"`)).toBe(`SELECT '--' AS "--"`);
  });

  it('counts its planning cost: tables and characters', () => {
    const tables = (count: number) => join(Array.from({ length: count }, () => plannedTable(2, 'p', 'a"b')));
    expect(render(tables(1)).text).toBe('"p"."a""b"');
    expect(render(tables(100))).toMatchObject({ points: 204 });
    expect(render(tables(1)).points).toBeUndefined();
    expect(render(sql`${tables(1)}${sql`${literal('x'.repeat(100_000))}`}`).points).toBe(402);
    expect(render(literal('x'.repeat(1_000_000))).points).toBeUndefined();
    expect(() => render(tables(1000))).toThrow(/This would take a statement of 2,\d\d\d points, and 2,000 is the most/);
  });

  it.each([NaN, Infinity, 1.5, 2 ** 53, '1; DROP TABLE x' as unknown as number])('rejects the integer %s', (value) => {
    expect(() => integer(value)).toThrow();
  });

  it('rejects a literal with a NUL', () => {
    expect(() => literal('a\0b')).toThrow();
  });

  it('rejects plain values: the tag accepts fragments only', () => {
    // @ts-expect-error a string is no fragment
    expect(() => render(sql`SELECT ${'1; DROP TABLE x'}`)).toThrow();
    // @ts-expect-error a number is no fragment
    expect(() => render(sql`SELECT ${1}`)).toThrow();
  });
});

describe('whatever a client writes', async () => {
  const client = new pg.Client(clientOptions(inject('database')));
  await client.connect();
  const anything = fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({
        unit: fc.constantFrom("'", '"', '\\', ';', '-', '/', '*', '$', '1', '\n', 'E', '%', '😀', '\u202e'),
      }),
    )
    .filter((value) => !value.includes('\0') && value.isWellFormed());

  it('stays one literal', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const { rows } = await client.query({ text: text(sql`SELECT ${literal(value)} AS value`), rowMode: 'array' });
        expect(rows).toEqual([[value]]);
      }),
      { numRuns: 200 },
    );
  });

  it('stays one identifier', async () => {
    await fc.assert(
      fc.asyncProperty(
        anything.filter((value) => value !== '' && Buffer.byteLength(value) <= 63),
        async (value) => {
          const { fields } = await client.query({ text: text(sql`SELECT 1 AS ${ident(value)}`), rowMode: 'array' });
          expect(fields.map(({ name }) => name)).toEqual([value]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('stays one parameter', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const made = render(sql`SELECT ${param(value)}::text`);
        const { rows } = await client.query({ text: made.text, values: [...made.values], rowMode: 'array' });
        expect(rows).toEqual([[value]]);
      }),
      { numRuns: 100 },
    );
    await client.end();
  });
});

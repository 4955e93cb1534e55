/** Random units of the kind `thing` (`every-type.ts`), and random filters of them. */
import fc from 'fast-check';
import {
  COMPARATORS,
  FIELD_OPERATORS,
  type Comparator,
  type FieldOperator,
  type Filter,
  type Path,
  type Scalar,
} from '../../src/filter/filter.ast.js';
import { combinedFilters } from './combined-filters.js';
import { JSON_KEYS, MORE_TEXTS, PARAMETERS, UNIT_PARAMETERS, VALUES, type TypeId } from './every-type.js';
import type { UnitRecord } from './naive-filter.js';

const valuesOf = (type: TypeId, places: readonly string[]): readonly unknown[] =>
  type === 'unit' ? places : VALUES[type];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Bodies of units, the same in every run. @param places ids that their reference can have */
export function randomThings(count: number, places: readonly string[]): Record<string, unknown>[] {
  const body = fc.record(
    Object.fromEntries(
      [...PARAMETERS].map(([id, { type, multiple }]) => {
        const value = fc.constantFrom(...valuesOf(type as TypeId, places));
        return [id, fc.option(multiple ? fc.array(value, { maxLength: 3 }) : value, { freq: 5 })];
      }),
    ),
  );
  const metadata = fc.constantFrom({}, { color: 'red' }, { color: 1 });
  const bodies = fc.sample(fc.record({ body, metadata }), { numRuns: count, seed: 20240131 });
  return bodies.map((each) => ({ ...each.body, metadata: each.metadata }));
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  ordered: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'],
  equality: ['eq', 'ne', 'in', 'isnull'],
  text: [...COMPARATORS, 'in', 'isnull'],
  multiple: ['eq', 'ne', 'contains', 'in', 'isnull'],
};

function operatorsOf(id: string, type: string, multiple: boolean): readonly string[] {
  if (multiple) return OPERATORS['multiple'] ?? [];
  if (type === 'string' || type === 'text') return OPERATORS['text'] ?? [];
  return OPERATORS[['boolean', 'json', 'unit', 'binary'].includes(type) && id !== 'id' ? 'equality' : 'ordered'] ?? [];
}

const NUMBERS = ['integer', 'float', 'decimal'];
const named = (id: string): Path => ({ segments: [id], at: 0 });

/** Comparisons of two parameters whose types can be compared. */
const PAIRS: fc.Arbitrary<Filter> = fc
  .constantFrom(...[...UNIT_PARAMETERS].filter(([id, { type }]) => type !== 'json' && id !== 'id'))
  .chain(([id, { type, multiple = false }]) => {
    const fits = (other: string) => other === type || (!multiple && NUMBERS.includes(other) && NUMBERS.includes(type));
    const others = [...UNIT_PARAMETERS].filter(([other, each]) => {
      return other !== 'id' && fits(each.type) && (each.multiple ?? false) === multiple;
    });
    const operators = operatorsOf(id, type, multiple).includes('lt')
      ? FIELD_OPERATORS
      : (['eq_field', 'ne_field'] as const);
    return fc.record({
      op: fc.constantFrom<FieldOperator>(...operators),
      path: fc.constant(named(id)),
      other: fc.constantFrom(...others.map(([other]) => named(other))),
      at: fc.constant(0),
    });
  });

const degrees = (most: number) =>
  fc.integer({ min: -most * 10, max: most * 10 }).map((tenths): Scalar => {
    return { type: 'bare', text: String(tenths / 10), at: 0 };
  });
const COORDINATES = [...UNIT_PARAMETERS].flatMap(([id, { type, multiple }]) =>
  NUMBERS.includes(type) && !multiple ? [named(id)] : [],
);
const NEAR: fc.Arbitrary<Filter> = fc.record({
  op: fc.constant('near' as const),
  path: fc.constantFrom(...COORDINATES),
  other: fc.constantFrom(...COORDINATES),
  point: fc.tuple(degrees(90), degrees(180)),
  // No distance is exactly one of these.
  radius: fc.constantFrom('0.1234567', '123.4567', '2345.678', '11234.567').map((text): Scalar => {
    return { type: 'quoted', text, at: 0 };
  }),
  at: fc.constant(0),
});

/** Filters with values of the units themselves, whole and in parts, and some that no unit has. */
export function randomFilters(units: readonly UnitRecord[], places: readonly string[]): fc.Arbitrary<Filter> {
  const textsOf = new Map<string, fc.Arbitrary<string>>(
    [...UNIT_PARAMETERS].map(([id, { type }]) => {
      const stored = units.flatMap((unit) => [unit[id] ?? []].flat()).map(textOf);
      return [
        id,
        fc.constantFrom(
          ...new Set([
            ...stored,
            ...valuesOf(type as TypeId, places).map(textOf),
            ...(MORE_TEXTS[type as TypeId] ?? []),
          ]),
        ),
      ];
    }),
  );

  const test: fc.Arbitrary<Filter> = fc.constantFrom(...UNIT_PARAMETERS).chain(([id, { type, multiple = false }]) => {
    const keys = type === 'json' && !multiple ? fc.constantFrom(...JSON_KEYS) : fc.constant([]);
    const scalar: fc.Arbitrary<Scalar> = fc.record({
      type: fc.constantFrom('bare' as const, 'quoted' as const),
      text: textsOf.get(id) ?? fc.constant(''),
      at: fc.constant(0),
    });
    const list = fc
      .array(scalar, { minLength: 1, maxLength: 4 })
      .map((items) => ({ type: 'list' as const, items, at: 0 }));
    return fc
      .tuple(fc.constantFrom(...operatorsOf(id, type, multiple)), keys, scalar, list, fc.boolean())
      .map(([op, segments, one, several, value]): Filter => {
        const path: Path = { segments: [id, ...segments], at: 0 };
        if (op === 'isnull') return { op, path, value, at: 0 };
        if (op === 'in') return { op, path, value: several, at: 0 };
        return { op: op as Comparator, path, value: multiple && op !== 'contains' ? several : one, at: 0 };
      });
  });

  return combinedFilters(
    [
      { weight: 3, arbitrary: test },
      { weight: 1, arbitrary: PAIRS },
      { weight: 1, arbitrary: NEAR },
    ],
    { maxDepth: 4, maxLength: 4 },
  );
}

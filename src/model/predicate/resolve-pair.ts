/** Resolves tests that compare two parameters, and places: pairs of coordinates. Pure. */
import type { FieldComparison, NearTest, Path, Place, Scalar } from '../../filter/filter.ast.js';
import { refusal } from '../../shared/errors.js';
import type { KindDef } from '../model.js';
import type { Operator } from '../../filter/filter.ast.js';
import { OPERATORS } from '../parameter-type/operators.js';
import type { PlaceTargets, Predicate, Target } from './predicate.js';

type Resolve = (path: Path) => Target;

const NUMBER = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})$/;

/** @throws KindError 400 if the types cannot be compared, or have no such operator */
export function resolvePair({ op, path, other, at }: FieldComparison, resolve: Resolve, kind: KindDef): Predicate {
  const [a, b] = [resolve(path), resolve(other)];
  const base = op.slice(0, -'_field'.length) as 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
  for (const target of [a, b]) {
    if (hasOperator(target, base)) continue;
    throw refusal(
      'filter.bad_operator',
      `'${target.field.id}' is ${typeText(target)}, which has no ${op}, at character ${at}`,
      {
        parameter: target.field.id,
      },
    );
  }
  if (!areComparable(a, b, kind)) {
    const text = `${op} compares values of one type: '${a.field.id}' is ${typeText(a)}, '${b.field.id}' is ${typeText(b)}, at character ${at}`;
    throw refusal('filter.bad_operator', text, { parameter: b.field.id });
  }
  const equal: Predicate = { op: 'pair', target: a, other: b, test: base === 'ne' ? 'eq' : base };
  return base === 'ne' ? { op: 'not', part: equal } : equal;
}

function hasOperator({ field }: Target, operator: Operator): boolean {
  return (field.def.multiple ? OPERATORS.multiple : field.type.operators).has(operator);
}

function typeText({ field: { def, type, reference, describedAs } }: Target): string {
  const own = reference ? `a reference to '${reference.kind}'` : (describedAs ?? type.id);
  return `${def.multiple ? 'a list of ' : ''}${own}`;
}

function areComparable(a: Target, b: Target, kind: KindDef): boolean {
  if (a.field.def.multiple !== b.field.def.multiple) return false;
  const [ofA, ofB] = [unitsOf(a, kind), unitsOf(b, kind)];
  if (a.field.reference || b.field.reference) return ofA !== undefined && ofA === ofB;
  if (isNumber(a) && isNumber(b)) return !a.field.def.multiple || a.field.type === b.field.type;
  return a.field.type === b.field.type && a.field.columnType === b.field.columnType;
}

function isNumber({ field }: Target): boolean {
  return field.type.numeric === true;
}

/** The kind whose units the values are ids of. */
function unitsOf({ field, through }: Target, kind: KindDef): string | undefined {
  if (field.reference) return field.reference.kind;
  return field.id === 'id' ? (through?.at(-1)?.kind ?? kind).id : undefined;
}

/** @throws KindError 400 if a parameter is no number, or a number is out of range */
export function resolveNear(near: NearTest, resolve: Resolve): Predicate {
  const place = resolvePlace(near, 'near', resolve);
  return {
    op: 'near',
    ...place,
    kilometres: numberOf(near.radius, 'near', 'a radius in kilometres above zero', isAboveZero),
  };
}

/** @param called the function, for messages */
export function resolvePlace({ path, other, point }: Place, called: string, resolve: Resolve): PlaceTargets {
  const [latitude, longitude] = point;
  return {
    target: coordinate(path, called, resolve),
    other: coordinate(other, called, resolve),
    point: [
      numberOf(latitude, called, 'a latitude from -90 to 90', (value) => Math.abs(value) <= 90),
      numberOf(longitude, called, 'a longitude from -180 to 180', (value) => Math.abs(value) <= 180),
    ],
  };
}

function coordinate(path: Path, called: string, resolve: Resolve): Target {
  const target = resolve(path);
  if (isNumber(target) && !target.field.def.multiple) return target;
  throw refusal(
    'filter.bad_operator',
    `${called} wants numbers, and '${target.field.id}' is ${typeText(target)}, at character ${path.at}`,
    {
      parameter: target.field.id,
    },
  );
}

function isAboveZero(value: number): boolean {
  return value > 0;
}

function numberOf({ text, at }: Scalar, called: string, wants: string, fits: (value: number) => boolean): number {
  const value = NUMBER.test(text) ? Number(text) : NaN;
  if (Number.isFinite(value) && fits(value)) return value;
  throw refusal('filter.bad_value', `${called} wants ${wants}, got '${text.slice(0, 40)}', at character ${at}`);
}

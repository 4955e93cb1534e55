/** The meaning of comparisons of two parameters and of `near`, implemented as simply as possible over records. */
import type { FieldComparison, NearTest } from '../../src/filter/filter.ast.js';
import { compare, type Json, type NaiveKind, type UnitRecord } from './naive-filter.js';

export function passesPair(test: FieldComparison | NearTest, unit: UnitRecord, kind: NaiveKind): boolean {
  const [name, second] = [test.path.segments.join('.'), test.other.segments.join('.')];
  const [a, b] = [unit[name] ?? null, unit[second] ?? null];
  if (test.op === 'ne_field') return !passesPair({ ...test, op: 'eq_field' }, unit, kind);
  if (a === null || b === null) return false;
  if (test.op === 'near') {
    const distance = kilometres(a, b, Number(test.point[0].text), Number(test.point[1].text));
    return distance !== undefined && distance <= Number(test.radius.text);
  }
  const type = kind.get(name)?.type ?? 'string';
  const sign = signOf(type, kind.get(second)?.type ?? type, a, b);
  switch (test.op) {
    case 'eq_field':
      return sign === 0;
    case 'lt_field':
      return sign < 0;
    case 'lte_field':
      return sign <= 0;
    case 'gt_field':
      return sign > 0;
    case 'gte_field':
      return sign >= 0;
  }
}

function signOf(type: string, other: string, a: Json, b: Json): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, at) => compare(type, each, b[at] ?? null) === 0) ? 0 : 1;
  }
  if (type === other) return compare(type, a, b);
  const [x, y] = [exact(textOf(a)), exact(textOf(b))];
  return x < y ? -1 : x > y ? 1 : 0;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A number in decimal or exponential notation, with 400 decimals. */
function exact(text: string): bigint {
  const [digits = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const zeros = 400 - fraction.length + Number(exponent);
  const magnitude = zeros >= 0 ? BigInt(whole + fraction) * 10n ** BigInt(zeros) : 0n;
  return text.startsWith('-') ? -magnitude : magnitude;
}

/** The distance from a point; undefined for coordinates out of range. */
export function kilometres(a: Json, b: Json, latitude: number, longitude: number): number | undefined {
  const [lat, lon] = [Number(a), Number(b)];
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return undefined;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const chord = half(latitude, lat) + Math.cos(radians(latitude)) * Math.cos(radians(lat)) * half(longitude, lon);
  return 2 * 6371.0088 * Math.asin(Math.min(1, Math.sqrt(chord)));
}

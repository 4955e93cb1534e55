/** The meaning of expressions, implemented a second time as simply as possible: with fractions, or with floats. */
import type { Path, Scalar } from '../../src/filter/filter.ast.js';
import { jsonText, type Json, type UnitRecord } from './naive-filter.js';

/** A fraction. */
export interface Exact {
  readonly over: bigint;
  readonly under: bigint;
}

/** A value with a bound of the numbers that it was computed of, for the rounding that it may have. */
export interface Computed {
  readonly value: Exact | number;
  readonly bound: number;
}

/** The types of parameters, by name. */
export type Types = Readonly<Record<string, string>>;

export class BeyondRange extends Error {}

export function exactOf(text: string): Exact {
  const [whole = '', fraction = ''] = text.replace('+', '').split('.');
  const over = BigInt(`${whole.replace(/^-?$/, '$&0')}${fraction}`);
  return { over, under: 10n ** BigInt(fraction.length) };
}

export function toNumber({ over, under }: Exact): number {
  return Number((over * 10n ** 40n) / under) / 1e40;
}

export function sumOf(values: readonly (Exact | number)[]): Exact | number {
  return values.reduce((a, b) => apply('add', a, b) ?? 0);
}

export function quotientOf(a: Exact | number, b: Exact | number): Exact | number | null {
  return apply('div', a, b);
}

export function isLess(a: Exact | number, b: Exact | number): boolean {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) < Number(b);
  return a.over * b.under < b.over * a.under;
}

/** Whether an expression reads a float. */
export function isOfFloats(expression: Path | Scalar, types: Types): boolean {
  if (!('segments' in expression)) return false;
  const { computed, segments } = expression;
  return computed ? computed.operands.some((each) => isOfFloats(each, types)) : types[segments[0] ?? ''] === 'float';
}

/** The value of an expression for a unit. */
export function computed(expression: Path, unit: UnitRecord, types: Types): Computed | null {
  const floats = isOfFloats(expression, types);
  const valueOf = (operand: Path | Scalar): Computed | null => {
    if (!('segments' in operand)) return numberOf(exactOf(operand.text));
    if (!operand.computed) return leafOf(unit[operand.segments[0] ?? ''] ?? null, types[operand.segments[0] ?? '']);
    const { function: called, operands } = operand.computed;
    if (called === 'days') return daysOf(operands.map((each) => instantOf(each, unit)));
    const [a, b] = operands.map(valueOf);
    if (!a || !b) return null;
    const value = apply(called, a.value, b.value);
    if (value === null) return null;
    const size = {
      add: a.bound + b.bound,
      sub: a.bound + b.bound,
      mul: a.bound * b.bound,
      div: a.bound / sizeOf(b.value),
    };
    return { value, bound: size[called] };
  };
  const numberOf = (exact: Exact): Computed => {
    const number = toNumber(exact);
    return { value: floats ? number : exact, bound: Math.abs(number) };
  };
  const leafOf = (value: Json, type: string | undefined): Computed | null => {
    if (value === null) return null;
    return type === 'float'
      ? { value: Number(value), bound: Math.abs(Number(value)) }
      : numberOf(exactOf(jsonText(value) ?? ''));
  };
  const daysOf = ([from, to]: readonly (bigint | null)[]): Computed | null => {
    if (typeof from !== 'bigint' || typeof to !== 'bigint') return null;
    return numberOf({ over: to - from, under: 86_400_000_000n });
  };
  return valueOf(expression);
}

/** In microseconds. */
function instantOf(operand: Path | Scalar, unit: UnitRecord): bigint | null {
  const value = 'segments' in operand ? unit[operand.segments[0] ?? ''] : null;
  if (typeof value !== 'string') return null;
  const micros = /\.\d{3}(\d{3})/.exec(value)?.[1] ?? '0';
  return BigInt(Date.parse(value)) * 1000n + BigInt(micros);
}

function sizeOf(value: Exact | number): number {
  return Math.abs(typeof value === 'number' ? value : toNumber(value));
}

function apply(called: 'add' | 'sub' | 'mul' | 'div', a: Exact | number, b: Exact | number): Exact | number | null {
  if (typeof a === 'number' || typeof b === 'number') {
    const [x, y] = [Number(a), Number(b)];
    if (called === 'div' && y === 0) return null;
    const value = { add: x + y, sub: x - y, mul: x * y, div: x / y }[called];
    if (!Number.isFinite(value)) throw new BeyondRange();
    return value;
  }
  switch (called) {
    case 'add':
      return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
    case 'sub':
      return { over: a.over * b.under - b.over * a.under, under: a.under * b.under };
    case 'mul':
      return { over: a.over * b.over, under: a.under * b.under };
    case 'div':
      if (b.over === 0n) return null;
      return b.over < 0n
        ? { over: -a.over * b.under, under: a.under * -b.over }
        : { over: a.over * b.under, under: a.under * b.over };
  }
}

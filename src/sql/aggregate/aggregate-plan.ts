/** The plan of an aggregation. */
import type { AggregateFunction, Period } from '../../filter/aggregate.ast.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate, Target } from '../../model/predicate/predicate.js';
import type { OrderTerm } from '../list/order.sql.js';

/** What is made of the value of a unit before it is grouped; undefined for the value itself. */
export type Transform =
  | { readonly type: 'period'; readonly period: Period; readonly timezone: string }
  /** Texts in small letters. */
  | { readonly type: 'lower' }
  /** Numbers from a multiple of `size` on. */
  | { readonly type: 'bucket'; readonly size: string }
  /** The elements of a list, each once. */
  | { readonly type: 'each' };

/** A column of the answer. `field` describes its value as the answer has it. */
export type AggregateColumn = GroupColumn | ValueColumn | ComputedColumn;

interface Column {
  readonly name: string;
  /** Whether the values come from a hidden parameter, or from behind one. */
  readonly hidden: boolean;
  readonly field: Field;
  readonly input: InputType;
}

export interface GroupColumn extends Column {
  readonly role: 'group';
  readonly transform: Transform | undefined;
}

export interface ValueColumn extends Column {
  readonly role: 'value';
  readonly function: AggregateFunction;
  readonly filtered: boolean;
}

/** A column that is computed of those before it, for each group. */
export interface ComputedColumn extends Column {
  readonly role: 'computed';
  /** Its fields are those of columns. */
  readonly target: Target;
}

/** The type of the value of a unit that a column needs. */
export interface InputType {
  /** Undefined where no value of a unit is needed. */
  readonly type: string | undefined;
  readonly array: boolean;
}

/** The part of an aggregation that reads one kind. */
export interface AggregateSource {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly filter: Predicate | undefined;
  /** By column. */
  readonly inputs: readonly AggregateInput[];
}

export interface AggregateInput {
  /** Undefined where units are counted, or where the kind lacks the parameter, so that the value is null. */
  readonly target: Target | undefined;
  /** The units that the function takes; undefined for all. */
  readonly condition: Predicate | undefined;
}

export interface AggregatePlan {
  readonly schema: string;
  readonly sources: readonly AggregateSource[];
  /** Those of groups come first. */
  readonly columns: readonly AggregateColumn[];
  /** Over the fields of the columns, as `order`. */
  readonly having: Predicate | undefined;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number;
}

/** Conditions on stored units that forbid a change. Pure: `catalog/definition/change-guards.ts` counts the units. */
import type { ErrorCode } from '../../shared/errors.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import { resolvedChecks, type ResolvedCheck } from '../check/kind-checks.js';
import { storedDefault } from '../field.js';
import type { Field, KindDef, LinkTypeDef } from '../model.js';
import type { ColumnType, Constraint } from '../parameter-type/parameter-type.js';

/** The stored units that a guard counts; the change is refused if there are any. */
export type Condition =
  | { readonly type: 'any' }
  | { readonly type: 'more_than_one' }
  | { readonly type: 'has_value' | 'is_null' | 'duplicate_elements'; readonly column: string }
  | { readonly type: 'duplicates'; readonly columns: readonly string[] }
  | { readonly type: 'fails'; readonly check: ResolvedCheck; readonly columns: readonly FilledColumn[] }
  | { readonly type: 'violates'; readonly column: string; readonly array: boolean; readonly constraint: Constraint };

/** A column of a check. `value`: what the units get, if they do not have it yet. */
interface FilledColumn {
  readonly field: Field;
  readonly value?: Json;
}

type GuardCode = Extract<
  ErrorCode,
  'kind.has_units' | 'parameter.has_values' | 'parameter.locked_by_units' | 'parameter.violated'
>;

export interface Guard {
  /** The kind, or the link type. */
  readonly kind: string;
  readonly table: string;
  /** Counts links of this type instead of units. */
  readonly linkType?: string;
  readonly parameter?: string;
  readonly condition: Condition;
  readonly code: GuardCode;
  /** Whether `?cascade=true` allows the change. */
  readonly cascade: boolean;
}

export function keySignature(kind: KindDef): string {
  return `${kind.primary?.id ?? ''}:${kind.keyField.columnType}`;
}

/** The guards of a change of a kind. @param next undefined if the kind is deleted */
export function guardsOf(kind: KindDef, next: KindDef | undefined): Guard[] {
  if (!kind.storage.hasTable || kind.builtIn) return [];
  const guard = (code: GuardCode, condition: Condition, cascade = false, parameter?: string): Guard => ({
    kind: kind.id,
    table: kind.table,
    condition,
    code,
    cascade,
    ...(parameter !== undefined && { parameter }),
  });
  if (!next?.storage.hasTable) return [guard('kind.has_units', { type: 'any' }, true)];
  if (keySignature(kind) !== keySignature(next)) {
    const parameter = next.primary?.id ?? kind.primary?.id ?? 'id';
    return [guard('parameter.locked_by_units', { type: 'any' }, false, parameter)];
  }
  const guards = changedFieldGuards(kind, next, guard);
  for (const ids of next.unique) {
    if (kind.unique.some((known) => jsonEqual(known, ids))) continue;
    const columns = ids.map((id) => next.fields.get(id)?.column ?? id);
    if (ids.every((id) => kind.fields.get(id)?.column !== undefined)) {
      guards.push(guard('parameter.violated', { type: 'duplicates', columns }, false, 'unique'));
    }
  }
  for (const check of resolvedChecks(next)) {
    const columns = check.fields.map((field) => filledColumn(field, kind));
    const isNew = !kind.checks.some(({ id, filter }) => id === check.id && filter === check.filter);
    if (!isNew && !columns.some((column) => 'value' in column)) continue;
    guards.push(guard('parameter.violated', { type: 'fails', check, columns }, false, 'checks'));
  }
  return guards;
}

/** Whether a column can get another type with the values that it has. */
export function keepsValues(type: ColumnType, now: ColumnType): boolean {
  return type === now || (type === 'bigint' && now === 'numeric');
}

/** @param before the kind before the change */
function filledColumn(field: Field, before: KindDef): FilledColumn {
  const old = before.fields.get(field.id);
  const isKept =
    old?.column !== undefined &&
    old.def.multiple === field.def.multiple &&
    keepsValues(old.columnType, field.columnType);
  return isKept ? { field } : { field, value: storedDefault(field) };
}

/** The guards of a change of a link type that stays. */
export function linkGuardsOf({ id, values }: LinkTypeDef, next: LinkTypeDef): Guard[] {
  return changedFieldGuards(values, next.values, (code, condition, cascade, parameter) => {
    return { kind: id, table: values.table, linkType: id, condition, code, cascade, parameter };
  });
}

type MakeGuard = (code: GuardCode, condition: Condition, cascade: boolean, parameter: string) => Guard;

function changedFieldGuards(kind: KindDef, next: KindDef, guard: MakeGuard): Guard[] {
  const guards: Guard[] = [];
  for (const field of kind.fields.values()) {
    const now = next.fields.get(field.id);
    if (field.column !== undefined && now?.column === undefined) {
      guards.push(guard('parameter.has_values', { type: 'has_value', column: field.column }, true, field.id));
    }
  }
  for (const field of next.fields.values()) {
    for (const { code, condition } of fieldGuards(kind.fields.get(field.id), field)) {
      guards.push(guard(code, condition, false, field.id));
    }
  }
  return guards;
}

type FieldGuard = Pick<Guard, 'code' | 'condition'>;

function fieldGuards(old: Field | undefined, field: Field): FieldGuard[] {
  const { column, def } = field;
  if (column === undefined) return [];
  const violated = (condition: Condition): FieldGuard => ({ code: 'parameter.violated', condition });
  if (!old || old.column === undefined) {
    // Stored units are numbered.
    if (def.sequence) return [];
    if (!def.nullable && storedDefault(field) === null) return [violated({ type: 'any' })];
    const repeated = def.unique && !def.multiple && storedDefault(field) !== null;
    return repeated ? [violated({ type: 'more_than_one' })] : [];
  }
  if (old.def.multiple !== def.multiple || old.reference?.kind !== field.reference?.kind) {
    return [{ code: 'parameter.locked_by_units', condition: { type: 'any' } }];
  }
  const guards: FieldGuard[] = [];
  if (old.def.nullable && !def.nullable && !def.sequence) guards.push(violated({ type: 'is_null', column }));
  if (!old.def.unique && def.unique) {
    guards.push(
      violated(def.multiple ? { type: 'duplicate_elements', column } : { type: 'duplicates', columns: [column] }),
    );
  }
  const known = old.type.constraints?.(old.def) ?? [];
  for (const constraint of field.type.constraints?.(def) ?? []) {
    if (known.some((other) => jsonEqual(other, constraint))) continue;
    guards.push(violated({ type: 'violates', column, array: def.multiple, constraint }));
  }
  return guards;
}

/** The unique parameters by which an upsert looks units up, and their values in the bodies. Pure. */
import { readableFields } from '../../access/masks.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { isUniqueField, shownValue } from '../../model/field.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import { checkUnconditional } from '../../model/predicate/conditional-field.js';
import { Faults, refusal, type ErrorCode } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { shortened } from '../../shared/shortened.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Body } from './draft.js';
import { NO_TARGET } from './draft-builder.js';
import { isNotObject, type NotObject } from './drafter.js';
import { ValueReader } from './value-reader.js';

/** For keys whose faults the write reports, which reads them again. */
export const IGNORED_FAULTS = { add: (): void => undefined };

/** @param names undefined for the primary parameter @throws KindError 400 if they are not unique together */
export function upsertKey(
  kind: KindDef,
  names: readonly string[] | undefined,
  caller: Caller,
  model: Model,
): readonly Field[] {
  const place = { parameter: 'by' };
  // A list without names has a fault of its own.
  if (names?.length === 0) return [];
  if (!names) {
    if (kind.primary) return [kind.primary];
    throw refusal('query.bad_value', `by: must name unique parameters: '${kind.id}' has no primary one`, place);
  }
  const readable = readableFields(kind, caller, model);
  const faults = new Faults();
  const fields = names.flatMap((name) => {
    const field = readable.get(name);
    if (!field) {
      const text = `by: no parameter '${shortened(name)}' in '${kind.id}'${faults.hint(name, readable.keys())}`;
      faults.add('parameter.unknown', text, place);
    }
    if (field) checkUnconditional(field);
    return field ?? [];
  });
  faults.throwIfAny();
  const [field, ...others] = fields;
  const one = field !== undefined && others.length === 0 && (field === kind.primary || isUniqueField(kind, field));
  const same = (list: readonly string[]) => list.length === names.length && list.every((id) => names.includes(id));
  if (one || kind.unique.some(same)) return fields;
  const fault = names.length === 1 ? 'is not unique' : 'are not unique together';
  throw refusal('query.bad_value', `by: ${names.join(', ')} of '${kind.id}' ${fault}`, place);
}

/** The values of a body by column; those with faults are left out. */
export type KeyRow = Readonly<Record<string, Json>>;

/** Whether no value of a body has a fault. */
export function isComplete(row: KeyRow | undefined, by: readonly Field[]): boolean {
  return row !== undefined && Object.keys(row).length === by.length;
}

/**
 * The values of each body. The same values twice are a fault.
 * @param indexed whether faults have the position of the body
 */
export function keyRows(
  kind: KindDef,
  by: readonly Field[],
  bodies: readonly (Body | NotObject)[],
  { faults, indexed }: { readonly faults: Pick<Faults, 'add'>; readonly indexed: boolean },
): readonly KeyRow[] {
  const first = new Map<string, number>();
  let place: { readonly index?: number } = {};
  const report = (code: ErrorCode, { id }: Field, text: string) => faults.add(code, text, { parameter: id, ...place });
  const patterns = new PatternChecks();
  const reader = new ValueReader(kind, patterns, report, NO_TARGET);
  return bodies.map((body, index) => {
    if (indexed) place = { index };
    if (isNotObject(body)) {
      faults.add('body.not_object', `[${index}]: must be an object, got ${body.actualType}`, { index });
      return {};
    }
    // Texts are matched against patterns when the whole body is read.
    if (patterns.any) patterns.take();
    const row: Record<string, Json> = {};
    const shown: Json[] = [];
    for (const field of by) {
      const given = body.get(field.id) ?? null;
      if (given === null) {
        report('parameter.required', field, `${field.id}: must be given: units are looked up by it`);
        continue;
      }
      const value = reader.read(field, given);
      if (value === undefined) continue;
      row[field.column ?? field.id] = value;
      shown.push(shownValue(field, value));
    }
    if (shown.length < by.length) return row;
    const key = JSON.stringify(shown);
    const before = first.get(key);
    if (before === undefined) first.set(key, index);
    else {
      const names = by.map(({ id }) => id).join(', ');
      const text = `${names}: object ${before} of the list has the same`;
      faults.add('parameter.duplicate', text, { parameter: by[0]?.id ?? '', ...place });
    }
    return row;
  });
}

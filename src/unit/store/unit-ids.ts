/** How requests name a unit: by its id, or by another parameter whose value only one unit can have. */
import { refuseSealed } from '../../access/access.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import { type KindError, refusal } from '../../shared/errors.js';
import { scalarText, textFault } from '../../shared/json.js';
import { readableFields } from '../../access/masks.js';
import { isUniqueField } from '../../model/field.js';
import { checkUnconditional, unconditional } from '../../model/predicate/conditional-field.js';
import { readFilterValue } from '../../model/predicate/resolve-filter.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import type { Caller } from '../../tenancy/caller.js';

/** Parses the id of a path; undefined where no unit of the kind can have it. */
export function parseKey(kind: KindDef, text: string): Stored | undefined {
  refuseSealed(kind, text);
  if (textFault(text) !== undefined) return undefined;
  const key = kind.keyField.type.read(text);
  if (key === undefined || kind.key === 'uuid') return key;
  return scalarText(key) === text ? key : undefined;
}

/** The id of a path. @throws KindError 404 where no unit of the kind can have it */
export function requireKey(kind: KindDef, text: string): Stored {
  const key = parseKey(kind, text);
  if (key === undefined) throw unknownUnit(kind, text);
  return key;
}

export function unknownUnit(kind: KindDef, id: string): KindError {
  return noUnit(id, `of '${kind.id}'`);
}

/** @param where such as `of 'city'` */
export function noUnit(id: string, where: string): KindError {
  return refusal('unit.unknown', `No unit '${id.length > 100 ? `${id.slice(0, 100)}…` : id}' ${where}`);
}

/** A parameter and a value of it, as a path has them. */
export interface KeyText {
  readonly parameter: string;
  readonly value: string;
}

export interface KeyValue {
  readonly field: Field;
  readonly value: Stored;
  /** Whether the value is the id of the unit. */
  readonly isId: boolean;
}

/** @throws KindError 401, 403 if only some units show the parameter; 400 if the caller may not read the parameter, it is not unique, or the value does not fit its type */
export function readKeyValue({ parameter, value }: KeyText, kind: KindDef, caller: Caller, model: Model): KeyValue {
  const visible = readableFields(kind, caller, model);
  const field = visible.get(parameter);
  const place = { parameter: shortened(parameter) };
  if (!field) {
    const text = `No parameter '${place.parameter}' in '${kind.id}'${didYouMean(parameter, visible.keys())}`;
    throw refusal('parameter.unknown', text, place);
  }
  checkUnconditional(field);
  const isId = field === kind.keyField || field === kind.primary;
  if (isId || isUniqueField(kind, field)) return { field, value: readFilterValue(field, value), isId };
  const others = keyParameters(kind, caller, model).map(({ id }) => `'${id}'`);
  const hint = others.length > 0 ? `; those that are: ${others.join(', ')}` : '';
  throw refusal('parameter.no_key', `'${field.id}' of '${kind.id}' is not unique${hint}`, place);
}

/** The parameters by which a caller can get a unit, except the id. */
export function keyParameters(kind: KindDef, caller: Caller, model: Model): Field[] {
  return [...unconditional(readableFields(kind, caller, model)).values()].filter(
    (field) => field !== kind.keyField && (field === kind.primary || isUniqueField(kind, field)),
  );
}

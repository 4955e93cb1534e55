/** What a source answers, held to the definition of its kind: all of it fits, or none of it is used. Pure. */
import { createHash } from 'node:crypto';
import { shownValue } from '../model/field.js';
import type { Field, KindDef } from '../model/model.js';
import { isPlainObject, repeatedAt, scalarText, textFault, typeName, type Json } from '../shared/json.js';
import { unavailable } from './remotes.js';
import type { PageRow, UnitRow } from './unit.repository.js';

/** A unit by field, as records show its values; what is hidden is there too. */
export type RemoteRecord = ReadonlyMap<string, Json>;

class Unfit extends Error {}

/** @param id the one that was asked for @throws KindError 503, whose cause names the field */
export function readUnit(kind: KindDef, given: unknown, id?: string): RemoteRecord {
  return fitting(kind, () => {
    const record = recordOf(kind, given, '');
    const found = record.get('id');
    if (id !== undefined && found !== id) throw new Unfit(`id: asked for '${id}', got '${scalarText(found)}'`);
    return record;
  });
}

/** A page of at most `limit` units. @throws KindError 503, whose cause names the field */
export function readPage(kind: KindDef, given: unknown, limit: number): { count: number; units: RemoteRecord[] } {
  return fitting(kind, () => {
    if (!isPlainObject(given)) throw new Unfit(`list: must answer an object, got ${typeName(given)}`);
    const { count, items } = given;
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < -1) {
      throw new Unfit(`count: must be a whole number, or -1 where it is not known, got ${typeName(count)}`);
    }
    if (!Array.isArray(items)) throw new Unfit(`items: must be an array, got ${typeName(items)}`);
    const units = items.slice(0, limit).map((item: unknown, at) => recordOf(kind, item, `items[${at}].`));
    return { count, units };
  });
}

function fitting<T>(kind: KindDef, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Unfit ? unavailable(kind, error) : error;
  }
}

function recordOf(kind: KindDef, given: unknown, at: string): RemoteRecord {
  if (!isPlainObject(given)) throw new Unfit(`${at || 'unit.'}: must be an object, got ${typeName(given)}`);
  const id = idOf(kind, given, at);
  const record = new Map<string, Json>();
  for (const field of kind.fields.values()) {
    if (field === kind.keyField) record.set(field.id, id);
    else if (field.constant !== undefined) record.set(field.id, field.constant);
    else if (field.column !== undefined) record.set(field.id, valueOf(kind, field, given, at, id));
  }
  return record;
}

/** A text that can stand in a path; of a natural key the one that its value has. */
function idOf({ keyField, key }: KindDef, given: Record<string, unknown>, at: string): string {
  const id = Object.hasOwn(given, 'id') ? given['id'] : undefined;
  if (typeof id !== 'string') throw new Unfit(`${at}id: must be a string, got ${typeName(id)}`);
  const fault = ['', '.', '..'].includes(id) ? 'can not be in a path' : textFault(id);
  if (fault !== undefined) throw new Unfit(`${at}id: ${fault}`);
  const stored = key === 'natural' ? keyField.type.read(id) : id;
  if (stored === undefined || scalarText(stored) !== id) throw new Unfit(`${at}id: must be ${keyField.type.wants}`);
  return id;
}

function valueOf(kind: KindDef, field: Field, given: Record<string, unknown>, at: string, id: string): Json {
  const value = Object.hasOwn(given, field.id) ? given[field.id] : undefined;
  const path = `${at}${field.id}`;
  if (value === undefined || value === null) {
    if (field.id === 'metadata') return {};
    if (field === kind.primary) return shownValue(field, field.type.read(id) ?? null);
    if (!field.def.nullable) throw new Unfit(`${path}: must not be null`);
    return null;
  }
  const fits = field.def.multiple ? listOf(field, value, path) : oneOf(field, value, path);
  if (field === kind.primary && scalarText(fits) !== id) throw new Unfit(`${path}: must be the id, '${id}'`);
  return shownValue(field, fits);
}

function listOf(field: Field, value: unknown, path: string): Json {
  if (!Array.isArray(value)) throw new Unfit(`${path}: must be an array, got ${typeName(value)}`);
  const items = value.map((item: unknown, at) => oneOf(field, item, `${path}[${at}]`));
  const repeated = field.def.unique ? repeatedAt(items.map((item) => field.type.canonical?.(item) ?? item)) : -1;
  if (repeated >= 0) throw new Unfit(`${path}[${repeated}]: is there already, and elements are unique`);
  return items;
}

function oneOf(field: Field, value: unknown, path: string): Exclude<Json, null> {
  const { type, def, reference } = field;
  if (field.id === 'metadata' && !isPlainObject(value)) {
    throw new Unfit(`${path}: must be an object, got ${typeName(value)}`);
  }
  const told: string[] = [];
  const stored = type.accept(value, def, (_, text) => void told.push(text));
  if (stored === undefined) throw new Unfit(`${path}: ${told.join('; ')}`);
  if (!reference) return stored;
  const id = reference.key.read(scalarText(stored));
  if (id === undefined) throw new Unfit(`${path}: must be the id of a unit of '${reference.kind}'`);
  return id;
}

/** A unit as those fields show it, as an object. */
export function shownUnit(record: RemoteRecord, fields: Iterable<Field>): Record<string, Json> {
  return Object.fromEntries([...fields].map(({ id }) => [id, record.get(id) ?? null]));
}

/**
 * A unit with those of the readable fields that were asked for. Its tag is of all that the caller may read, and of
 * nothing else: it tells nothing of what is hidden.
 */
export function rowOf(record: RemoteRecord, fields: readonly Field[], readable: Iterable<Field>): UnitRow {
  const whole = JSON.stringify(shownUnit(record, readable));
  const tag = createHash('sha256').update(whole).digest().readBigUInt64BE(0).toString();
  return { tag, body: JSON.stringify(shownUnit(record, fields)) };
}

export function pageOf(count: number, units: readonly RemoteRecord[], fields: readonly Field[]): PageRow {
  return { count, items: JSON.stringify(units.map((unit) => shownUnit(unit, fields))), last: null };
}

/** Validates what a source returns with the definition of its kind: all of it is valid, or none of it is used. Pure. */
import { createHash } from 'node:crypto';
import { shownValue } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { isPlainObject, type Json, jsonFault, scalarText, textFault, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { answerTooLarge } from '../../shared/response-size.js';
import type { UnitPage, UnitRow } from '../store/unit-store.js';
import { ValueReader } from '../draft/value-reader.js';
import { type KindError, retryLater } from '../../shared/errors.js';

/** The values of a unit by field, in the form of records; with hidden ones. */
export type RemoteRecord = ReadonlyMap<string, Json>;

/** Matches the collected texts against their patterns. */
export type Settle = (patterns: PatternChecks) => MaybePromise<void>;

/**
 * @param id the requested id, which the unit must have
 * @throws KindError 503 with a cause that names the field
 */
export async function readUnit(kind: KindDef, given: unknown, settle: Settle, id?: string): Promise<RemoteRecord> {
  try {
    const patterns = new PatternChecks();
    const record = recordOf(kind, given, patterns, '');
    await settle(patterns);
    const found = record.get('id');
    if (id !== undefined && found !== id) throw new Error(`id: asked for '${id}', got '${scalarText(found)}'`);
    return record;
  } catch (error) {
    throw sourceUnavailable(kind, error);
  }
}

/** The count, which is -1 where it is not known, and the items. @throws Error for what is not a page */
function pageOf(given: unknown, called: 'list' | 'aggregate'): { count: number; items: readonly unknown[] } {
  if (!isPlainObject(given)) throw new Error(`${called}: must answer an object, got ${typeName(given)}`);
  const { count, items } = given;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < -1) {
    throw new Error(`count: must be a whole number, or -1 where it is not known, got ${typeName(count)}`);
  }
  if (!Array.isArray(items)) throw new Error(`items: must be an array, got ${typeName(items)}`);
  return { count, items: items as readonly unknown[] };
}

/** Reads a page; units beyond `limit` are ignored. @throws KindError 503 with a cause that names the field */
export async function readPage(
  kind: KindDef,
  given: unknown,
  limit: number,
  settle: Settle,
): Promise<{ count: number; units: RemoteRecord[] }> {
  try {
    const { count, items } = pageOf(given, 'list');
    const units: RemoteRecord[] = [];
    const patterns = new PatternChecks();
    const yielder = new EventLoopYield();
    for (const [at, item] of items.slice(0, limit).entries()) {
      if (yielder.due) await yielder.pause();
      units.push(recordOf(kind, item, patterns, `items[${at}].`));
      await settle(patterns);
    }
    return { count, units };
  } catch (error) {
    // The objects come from custom code: their getters may throw anything.
    throw sourceUnavailable(kind, error);
  }
}

interface Groups {
  readonly names: readonly string[];
  readonly limit: number;
}

/**
 * Reads the groups that a source returns; those beyond `limit` are ignored.
 * @throws KindError 503 with a cause that names the field; 400 if they are larger than an answer may be
 */
export function readGroups(kind: KindDef, given: unknown, { names, limit }: Groups): UnitPage {
  const texts: string[] = [];
  let count: number;
  let size = 0;
  try {
    const page = pageOf(given, 'aggregate');
    if (page.count < 0) throw new Error('count: must be the number of groups, got -1');
    ({ count } = page);
    for (const [at, item] of page.items.slice(0, limit).entries()) {
      const text = groupText(item, names, `items[${at}]`);
      size += Buffer.byteLength(text);
      if (size > LIMITS.answerBytes) break;
      texts.push(text);
    }
  } catch (error) {
    // The objects come from custom code: their getters may throw anything.
    throw sourceUnavailable(kind, error);
  }
  if (size > LIMITS.answerBytes) throw answerTooLarge();
  return { count, items: `[${texts.join(',')}]` };
}

function groupText(given: unknown, names: readonly string[], at: string): string {
  if (!isPlainObject(given)) throw new Error(`${at}: must be an object, got ${typeName(given)}`);
  const values = names.map((name) => [name, Object.hasOwn(given, name) ? (given[name] ?? null) : null] as const);
  for (const [name, value] of values) {
    const fault = jsonFault(value);
    if (fault !== undefined) throw new Error(`${at}.${name}: ${fault}`);
  }
  return JSON.stringify(Object.fromEntries(values));
}

/** @throws Error for the first invalid value */
function recordOf(kind: KindDef, given: unknown, patterns: PatternChecks, at: string): RemoteRecord {
  if (!isPlainObject(given)) throw new Error(`${at || 'unit.'}: must be an object, got ${typeName(given)}`);
  const id = idOf(kind, given, at);
  const fail = (_: unknown, __: unknown, text: string) => {
    throw new Error(at + text);
  };
  // Only the log shows these errors, so that they may name every kind.
  const reader = new ValueReader(kind, patterns, fail, (target) => ` of '${target}'`);
  const record = new Map<string, Json>();
  let size = 0;
  for (const field of kind.fields.values()) {
    if (field.column === undefined && field.constant === undefined) continue;
    const value =
      field === kind.keyField ? id : (field.constant ?? remoteValue(field, { kind, reader, given, at, id }));
    size += sizeOf(value);
    record.set(field.id, value);
  }
  if (size > LIMITS.answerBytes) throw new Error(`${at || 'unit.'}: has more than ${LIMITS.answerBytes} bytes`);
  return record;
}

/** The id, which must be usable in a path; for a natural key it must be the canonical text of its value. */
function idOf({ keyField, key }: KindDef, given: Record<string, unknown>, at: string): string {
  const id = Object.hasOwn(given, 'id') ? given['id'] : undefined;
  if (typeof id !== 'string') throw new Error(`${at}id: must be a string, got ${typeName(id)}`);
  const fault = ['', '.', '..'].includes(id) ? 'cannot be in a path' : textFault(id);
  if (fault !== undefined) throw new Error(`${at}id: ${fault}`);
  const stored = key === 'natural' ? keyField.type.read(id) : id;
  if (stored === undefined || scalarText(stored) !== id) throw new Error(`${at}id: must be ${keyField.type.expects}`);
  return id;
}

/** The context in which a value of a unit is read. */
interface RemoteReading {
  readonly kind: KindDef;
  readonly reader: ValueReader;
  readonly given: Record<string, unknown>;
  readonly at: string;
  readonly id: string;
}

function remoteValue(field: Field, { kind, reader, given, at, id }: RemoteReading): Json {
  const value = Object.hasOwn(given, field.id) ? given[field.id] : undefined;
  if (value === undefined || value === null) {
    if (field.id === 'metadata') return {};
    if (field === kind.primary) return shownValue(field, field.type.read(id) ?? null);
    if (!field.def.nullable) throw new Error(`${at}${field.id}: must not be null`);
    return null;
  }
  const fits = reader.read(field, value) ?? null;
  if (field === kind.primary && scalarText(fits) !== id) throw new Error(`${at}${field.id}: must be the id, '${id}'`);
  return shownValue(field, fits);
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The given fields of a unit as an object. */
export function shownUnit(record: RemoteRecord, fields: Iterable<Field>): Record<string, Json> {
  return Object.fromEntries([...fields].map(({ id }) => [id, record.get(id) ?? null]));
}

/**
 * A unit with the requested fields. Its tag is a hash of all fields that the caller may read and of no others, so that
 * it reveals nothing about hidden values.
 */
export function rowOf(record: RemoteRecord, fields: readonly Field[], readable: Iterable<Field>): UnitRow {
  const whole = JSON.stringify(shownUnit(record, readable));
  const tag = createHash('sha256').update(whole).digest().readBigUInt64BE(0).toString();
  return { tag, body: JSON.stringify(shownUnit(record, fields)) };
}

/** @throws KindError 400 if the page is larger than an answer may be */
export function remotePage(count: number, units: readonly RemoteRecord[], fields: readonly Field[]): UnitPage {
  let size = 0;
  const items = units.map((unit) => {
    const text = JSON.stringify(shownUnit(unit, fields));
    size += Buffer.byteLength(text);
    if (size > LIMITS.answerBytes) throw answerTooLarge();
    return text;
  });
  return { count, items: `[${items.join(',')}]` };
}

/** Seconds after which the client may retry. */
const RETRY_AFTER = 10;

/** The refusal if a source fails or returns an invalid value. Only the log shows the cause. */
export function sourceUnavailable({ id }: Pick<KindDef, 'id'>, cause: unknown): KindError {
  const text = `The source of '${id}' cannot be used at present; the log of the service says why`;
  return retryLater('kind.remote_unavailable', text, RETRY_AFTER, cause);
}

/**
 * The body of an edit. It may be a whole record that was read: what its writer may only read is passed over where it is as
 * it is stored, and the record's `updated_at` tells of which version it is.
 */
import { readableFields, writableFields } from '../../access/masks.js';
import type { Field, KindDef } from '../../model/model.js';
import { inUtc, microsecondsOf, parseInstant } from '../../model/parameter-type/calendar.js';
import type { EventLoopYield } from '../../shared/event-loop-yield.js';
import { jsonEqualInPieces } from '../../shared/json.js';
import { runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Body } from '../draft/draft.js';
import { versionMismatch } from './rights.js';

export interface Edit {
  readonly body: Body;
  /** The version tag of the record that the body is, where that can be told. */
  readonly version?: string;
}

/** Who reads, and who writes: a function may write as another one than it reads. */
export interface Editing {
  readonly reader: Caller;
  readonly writer: Caller;
  readonly yielder: EventLoopYield;
}

/**
 * @param stored reads the unit as `reader` sees it; it is read only where the body has something to be compared
 * @throws KindError 412 where the body is a record of an older version
 */
export async function readEdit(
  kind: KindDef,
  id: string,
  body: Body,
  { reader, writer, yielder }: Editing,
  stored: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Edit> {
  const [readable, writable] = [readableFields(kind, reader), writableFields(kind, writer)];
  const fixedField = (name: string): Field | undefined => {
    const field = readable.get(name);
    return field?.column === undefined || writable.has(name) || IDENTITY.has(name) ? undefined : field;
  };
  if (![...body.keys()].some(fixedField)) return { body };
  const values = await stored();
  const version = versionIn(body, values);
  if (version === 'older') throw versionMismatch(kind, id);
  const isPassedOver = async (name: string, value: unknown): Promise<boolean> => {
    const field = fixedField(name);
    if (field && (await runYielding(isStoredValue(field, values[name], value), yielder))) return true;
    return version !== undefined && field?.unversioned === true && isValidValue(field, value);
  };
  const changes = new Map<string, unknown>();
  for (const [name, value] of body) if (!(await isPassedOver(name, value))) changes.set(name, value);
  return { body: changes, ...(version !== undefined && { version }) };
}

/** Judged by themselves: they never change. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'kind_id']);

function isValidValue(field: Field, value: unknown): boolean {
  return value === null ? field.def.nullable : field.type.accept(value, field.def, () => undefined) !== undefined;
}

/** Whether a value is the stored one, possibly in another spelling. */
function* isStoredValue({ type }: Field, stored: unknown, given: unknown): WorkInPieces<boolean> {
  if (yield* jsonEqualInPieces(stored, given)) return true;
  if (!type.anySpelling || stored === null) return false;
  const accepted = type.accept(given, {}, () => undefined);
  return accepted !== undefined && type.canonical?.(accepted) === stored;
}

/** An instant as records show it; undefined for anything else. */
function instant(value: unknown): string | undefined {
  return typeof value === 'string' && parseInstant(value) !== undefined ? inUtc(value) : undefined;
}

/**
 * The version that the body is of, as its `updated_at` tells: `older` where it is one that the unit may have had before;
 * undefined where it has none, or one that was made up.
 */
function versionIn(body: Body, stored: Readonly<Record<string, unknown>>): string | undefined {
  const updated = instant(body.get('updated_at'));
  const current = instant(stored['updated_at']);
  if (updated === undefined || current === undefined) return undefined;
  if (updated === current) return microsecondsOf(current);
  // A unit that was deleted and made again under the same key has had other times.
  const inserted = instant(body.get('inserted_at'));
  const since = inserted ?? instant(stored['inserted_at']);
  const isPossible = since !== undefined && since <= updated && (inserted !== undefined || updated < current);
  return isPossible ? 'older' : undefined;
}

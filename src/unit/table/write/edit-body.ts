/**
 * Reads the body of an edit. Clients may send back a whole record that they read: values that are read-only, or that a
 * rule may forbid to write, are ignored if they equal the stored ones as the client reads them, and its `updated_at` identifies the version that they read.
 */
import { readableFields, writableFields } from '../../../access/masks.js';
import type { Field, KindDef, Model } from '../../../model/model.js';
import { isConditional } from '../../../model/predicate/conditional-field.js';
import { inUtc, microsecondsOf, parseInstant } from '../../../model/parameter-type/calendar.js';
import type { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { jsonEqualInPieces } from '../../../shared/json.js';
import { andThen, type MaybePromise, runYielding, type WorkInPieces } from '../../../shared/work-in-pieces.js';
import type { Caller } from '../../../tenancy/caller.js';
import type { Body } from '../../draft/draft.js';
import { versionMismatch } from '../rights.js';

export interface Edit {
  readonly body: Body;
  /** The version tag of the record in the body, if it can be determined. */
  readonly version?: string;
}

/** The callers whose rights to read and to write apply: a function may write with other rights than it reads. */
export interface Editing {
  readonly model: Model;
  readonly reader: Caller;
  readonly writer: Caller;
  readonly yielder: EventLoopYield;
}

/**
 * @param stored reads the unit as `reader` sees it; called only if the body has read-only values to compare
 * @throws KindError 412 if the body is a record of an older version
 */
export function readEdit(
  kind: KindDef,
  id: string,
  body: Body,
  editing: Editing,
  stored: () => MaybePromise<StoredValues>,
): MaybePromise<Edit> {
  return editReader(kind, editing)(id, body, stored);
}

/** The same for the bodies of several edits. */
export function editReader(
  kind: KindDef,
  { model, reader, writer, yielder }: Editing,
): (id: string, body: Body, stored: () => MaybePromise<StoredValues>) => MaybePromise<Edit> {
  const [readable, writable] = [readableFields(kind, reader, model), writableFields(kind, writer, model)];
  const fixedField = (name: string): Field | undefined => {
    const field = readable.get(name);
    if (field?.column === undefined || IDENTITY.has(name)) return undefined;
    const written = writable.get(name);
    const byRule = written !== undefined && (isConditional(written) || (field.def.writeOnce && isConditional(field)));
    return written === undefined || byRule ? field : undefined;
  };
  return (id, body, stored) => {
    for (const name of body.keys()) {
      if (fixedField(name)) {
        return andThen(stored(), (values) => readRecord({ kind, id }, body, values, fixedField, yielder));
      }
    }
    return { body };
  };
}

type StoredValues = Readonly<Record<string, unknown>>;

/** @param fixedField the read-only field of a name; undefined for other names */
async function readRecord(
  { kind, id }: { readonly kind: KindDef; readonly id: string },
  body: Body,
  values: StoredValues,
  fixedField: (name: string) => Field | undefined,
  yielder: EventLoopYield,
): Promise<Edit> {
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

/** `DraftBuilder.checkKeys` compares these with the stored unit. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'kind_id']);

function isValidValue(field: Field, value: unknown): boolean {
  return value === null ? field.def.nullable : field.type.accept(value, field.def, () => undefined) !== undefined;
}

/** Whether a value equals the stored one, possibly in another spelling. */
function* isStoredValue({ type }: Field, stored: unknown, given: unknown): WorkInPieces<boolean> {
  if (yield* jsonEqualInPieces(stored, given)) return true;
  if (!type.anySpelling || stored === null) return false;
  const accepted = type.accept(given, {}, () => undefined);
  return accepted !== undefined && type.canonical?.(accepted) === stored;
}

/** The instant in the form of records; undefined for any other value. */
function instant(value: unknown): string | undefined {
  return typeof value === 'string' && parseInstant(value) !== undefined ? inUtc(value) : undefined;
}

/**
 * The version of the record in the body, by its `updated_at`: `older` if the unit may have had that time before;
 * undefined without a time, or with one that the unit cannot have had.
 */
function versionIn(body: Body, stored: StoredValues): string | undefined {
  const updated = instant(body.get('updated_at'));
  const current = instant(stored['updated_at']);
  if (updated === undefined || current === undefined) return undefined;
  if (updated === current) return microsecondsOf(current);
  // The unit may have been deleted and created again with the same key. Then the `inserted_at` of the record differs.
  const inserted = instant(body.get('inserted_at'));
  const since = inserted ?? instant(stored['inserted_at']);
  const isPossible = since !== undefined && since <= updated && (inserted !== undefined || updated < current);
  return isPossible ? 'older' : undefined;
}

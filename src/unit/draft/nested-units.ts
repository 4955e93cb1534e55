/** Nested units: an object in place of an id creates the referenced unit. Behaviors may give it another key. */
import { type Field, type KindDef, referencesOf } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { FunctionError } from '../../kit/function-error.js';
import { getOrInsert } from '../../shared/maps.js';
import { NO_RIGHT } from '../../model/held-members.js';
import { KindError, prefixMessage, type Message } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { isPlainObject, type Json } from '../../shared/json.js';
import { type Body, keyColumn, keyOf, withSystemValue } from './draft.js';
import { relocateFunctionError } from './refusal-position.js';
import type { LocatedDraft, NewUnits } from './references.js';
import { rewordRefusal } from '../../database/transaction/complete-refusal.js';

/** Units of one kind at the same depth, which one statement inserts. */
interface NestedGroup {
  readonly kind: KindDef;
  /** The access rule that each of them has to satisfy; undefined for none. */
  readonly allowed: Predicate | undefined;
  readonly units: LocatedDraft[];
}

/** The nested units of a write. */
export class NestedUnits implements NewUnits {
  readonly #levels: Map<KindDef, NestedGroup>[] = [];
  readonly #keys = new Map<KindDef, Set<string>>();
  /** Number of units. */
  size = 0;

  add(depth: number, kind: KindDef, allowed: Predicate | undefined, unit: LocatedDraft): void {
    const level = (this.#levels[depth - 1] ??= new Map<KindDef, NestedGroup>());
    getOrInsert(level, kind, () => ({ kind, allowed, units: [] })).units.push(unit);
    this.size += 1;
    getOrInsert(this.#keys, kind, () => new Set()).add(keyOf(unit.draft, kind));
  }

  has(kind: KindDef, id: string): boolean {
    return this.#keys.get(kind)?.has(id) ?? false;
  }

  get any(): boolean {
    return this.#levels.length > 0;
  }

  /** Innermost first, because outer units refer to them. */
  get groups(): NestedGroup[] {
    return this.#levels.toReversed().flatMap((level) => [...level.values()]);
  }
}

/** The object in place of an id, and the reference that has it. */
interface NestedBody {
  readonly field: Field;
  readonly value: Record<string, unknown>;
}

const NO_NESTED: readonly NestedBody[] = [];

/** The references of a body with an object as value. */
export function nestedBodies(kind: KindDef, body: Body): readonly NestedBody[] {
  const references = referencesOf(kind);
  if (references.length === 0) return NO_NESTED;
  return references.flatMap((field) => {
    const value = body.get(field.id);
    return isPlainObject(value) ? [{ field, value }] : [];
  });
}

/** Whether an edit creates nested units. Faults of the body are reported later. */
export function createsNestedUnits(kind: KindDef, read: () => MaybePromise<Body>): MaybePromise<boolean> {
  return referencesOf(kind).length > 0 && hasNestedBodies(kind, read);
}

async function hasNestedBodies(kind: KindDef, read: () => MaybePromise<Body>): Promise<boolean> {
  try {
    return nestedBodies(kind, await read()).length > 0;
  } catch (error) {
    if (error instanceof KindError) return false;
    throw error;
  }
}

/** Gives nested units positions as in a bulk write. `relocateRefusal` translates positions in refusals back. */
export function asSeparateWrite(units: readonly LocatedDraft[]): readonly LocatedDraft[] {
  if (units.every(({ path }) => path === undefined)) return units;
  return units.length === 1
    ? units.map(({ draft, rules = [] }) => ({ draft, rules }))
    : units.map(({ draft, rules = [] }, index) => ({ draft, rules, index }));
}

/** Refusals of a kind, as for a caller that may not create its units, stay as they are. */
function isOfUnit({ code, index, parameter }: Message): boolean {
  return !NO_RIGHT.has(code) || index !== undefined || parameter !== undefined;
}

/** Replaces the positions in a refusal by the paths of the nested units. */
export function relocateRefusal(error: unknown, units: readonly LocatedDraft[]): unknown {
  const unitAt = (index = -1) => (units.length === 1 ? units[0] : units[index]);
  if (error instanceof FunctionError) return relocateFunctionError(error, unitAt(error.index) ?? {});
  if (!(error instanceof KindError) || !error.messages.some(isOfUnit)) return error;
  return rewordRefusal(error, (refused) => {
    const messages = refused.messages.map(({ index, ...message }) => {
      const { path, index: at } = unitAt(index) ?? {};
      return path === undefined ? message : prefixMessage(message, path, at === undefined ? {} : { index: at });
    });
    const [first, ...rest] = messages;
    return first ? new KindError([first, ...rest], refused.retryAfter) : refused;
  });
}

export class ReplacedKeys {
  /** New keys by the location of the unit. */
  readonly #given = new Map<string, Json>();
  readonly #former = new Map<KindDef, Set<string>>();
  readonly #present = new Map<KindDef, Set<string>>();

  /** Notes the keys after behaviors ran. */
  note(kind: KindDef, drafted: readonly LocatedDraft[], units: readonly LocatedDraft[]): void {
    for (const [at, { draft }] of units.entries()) {
      const before = drafted[at];
      const key = keyOf(draft, kind);
      getOrInsert(this.#present, kind, () => new Set()).add(key);
      if (!before || keyOf(before.draft, kind) === key) continue;
      getOrInsert(this.#former, kind, () => new Set()).add(keyOf(before.draft, kind));
      this.#given.set(locationKey(before.index, before.path), draft.row[keyColumn(kind)] ?? null);
    }
  }

  get any(): boolean {
    return this.#former.size > 0;
  }

  /** False for an id that was replaced and that no new unit has. */
  has(kind: KindDef, id: string): boolean {
    return !this.#former.get(kind)?.has(id) || (this.#present.get(kind)?.has(id) ?? false);
  }

  /** Updates references of a unit to its nested units. */
  into(kind: KindDef, unit: LocatedDraft): LocatedDraft {
    if (!this.any) return unit;
    const { index, path } = unit;
    const draft = referencesOf(kind).reduce((current, field) => {
      const key = this.#given.get(locationKey(index, path === undefined ? field.id : `${path}.${field.id}`));
      return key === undefined ? current : withSystemValue(current, field, key);
    }, unit.draft);
    return { ...unit, draft };
  }
}

function locationKey(index: number | undefined, path = ''): string {
  return `${index ?? ''} ${path}`;
}

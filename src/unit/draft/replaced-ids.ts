/** Keys of new units that behaviors replaced. */
import { referencesOf, type KindDef } from '../../model/model.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import type { Json } from '../../shared/json.js';
import { keyColumn, keyOf, withSystemValue } from './draft.js';
import type { LocatedDraft } from './references.js';

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

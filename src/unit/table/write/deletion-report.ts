/**
 * What a dry run says of deletions: the units that are deleted, and those that lose a reference, by kind. It says what
 * the caller may read: otherwise it would tell in which hidden parameters, and by which hidden units, a unit is named.
 */
import { grantOf } from '../../../access/access.js';
import { readableFields } from '../../../access/masks.js';
import type { Field, KindDef, Model } from '../../../model/model.js';
import { isConditional } from '../../../model/predicate/conditional-field.js';
import { knowsWholeProject, type Caller } from '../../../tenancy/caller.js';
import type { DeletionReport } from '../../../catalog/session/session.js';
import type { Opened, ToldEffects } from '../../../run/command.js';

interface Loss {
  readonly kind_id: string;
  readonly parameter?: string;
  units: number | null;
}

/** What a dry run says of deletions. */
export function deletionEffects({ model, caller }: Opened): ToldEffects {
  const report = new DeletionEffects(model, caller);
  return { report, told: () => report.told() };
}

class DeletionEffects implements DeletionReport {
  readonly #losses = new Map<string, Loss>();

  constructor(
    private readonly model: Model,
    private readonly caller: Caller,
  ) {}

  deleted(kind: KindDef, units: number, by: Caller): void {
    const grant = grantOf(kind, 'read', this.caller, this.model);
    // What the caller deletes, it may read. A function may delete others as the system.
    if (grant && (!grant.predicate || by.type !== 'system')) this.#add({ kind_id: kind.id, units });
  }

  cleared({ id }: KindDef, field: Field, units: number): void {
    this.#add({ kind_id: id, parameter: field.id, units });
  }

  through(kind: KindDef, field: Field): DeletionReport | undefined {
    if (knowsWholeProject(this.caller)) return this;
    const grant = grantOf(kind, 'read', this.caller, this.model);
    const shown = readableFields(kind, this.caller, this.model).get(field.id);
    if (!grant || !shown) return undefined;
    if (!grant.predicate && !isConditional(shown)) return this;
    // Said whether there are such units or not.
    this.#add({ kind_id: kind.id, ...(field.def.onDelete === 'set_null' && { parameter: field.id }), units: null });
    return undefined;
  }

  /** As the effects of definitions. */
  told(): object {
    const losses = [...this.#losses.values()].filter(({ units }) => units !== 0);
    const [deleted, cleared] = [false, true].map((clears) => losses.filter((loss) => 'parameter' in loss === clears));
    return { definitions: [], tables: [], losses: [...(deleted ?? []), ...(cleared ?? [])] };
  }

  #add(loss: Loss): void {
    const key = JSON.stringify([loss.kind_id, loss.parameter]);
    const known = this.#losses.get(key);
    if (!known) this.#losses.set(key, loss);
    else known.units = known.units === null || loss.units === null ? null : known.units + loss.units;
  }
}

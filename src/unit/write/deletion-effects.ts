/** What a dry run says of deletions: the units that are deleted, and those that lose a reference, by kind. */
import { grantOf } from '../../access/access.js';
import type { Model } from '../../model/model.js';
import type { Caller } from '../../tenancy/caller.js';
import type { DeletionReport } from '../../tenancy/request-scope.js';

interface Loss {
  readonly kind_id: string;
  readonly parameter?: string;
  readonly units: number | null;
}

export class DeletionEffects implements DeletionReport {
  readonly #deleted = new Map<string, number>();
  readonly #cleared = new Map<string, Map<string, number>>();

  deleted(kindId: string, units: number): void {
    this.#deleted.set(kindId, (this.#deleted.get(kindId) ?? 0) + units);
  }

  cleared(kindId: string, parameter: string, units: number): void {
    const ofKind = this.#cleared.get(kindId) ?? new Map<string, number>();
    this.#cleared.set(kindId, ofKind.set(parameter, (ofKind.get(parameter) ?? 0) + units));
  }

  /** As the effects of definitions. Numbers of units that the caller may read; null where it may read some of them. */
  told(model: Model, caller: Caller): object {
    const all = [
      ...[...this.#deleted].map(([kind, units]) => ({ kind_id: kind, units })),
      ...[...this.#cleared].flatMap(([kind, ofKind]) =>
        [...ofKind].map(([parameter, units]) => ({ kind_id: kind, parameter, units })),
      ),
    ].filter(({ units }) => units > 0);
    const losses = all.flatMap((loss): Loss[] => {
      const kind = model.kinds.get(loss.kind_id);
      const grant = kind && grantOf(kind, 'read', caller, model);
      if (!grant) return [];
      return [grant.predicate === undefined ? loss : { ...loss, units: null }];
    });
    return { definitions: [], tables: [], losses };
  }
}

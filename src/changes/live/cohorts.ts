/** Lists that are judged together: those whose statements have the same text. */
import { judgementOf, judgementText, type Judgement } from '../../sql/changes/live.sql.js';
import type { ListPlan } from '../../sql/list/select.sql.js';

/** One object for all lists of a text. */
export interface Cohort {
  readonly judgement: Judgement;
}

export class Cohorts {
  /** By model and text. */
  readonly #cohorts = new Map<string, WeakRef<Cohort>>();

  /** @throws KindError 400 `query.too_large` */
  of(plan: ListPlan, version: number): { readonly cohort: Cohort; readonly values: readonly (string | null)[] } {
    const judgement = judgementOf(plan);
    const { text, values } = judgementText(judgement);
    const key = `${version} ${plan.kind.id} ${text}`;
    const known = this.#cohorts.get(key)?.deref();
    if (known) return { cohort: known, values };
    const cohort = { judgement };
    this.#cohorts.set(key, new WeakRef(cohort));
    return { cohort, values };
  }

  /** Forgets those that nobody has any more. */
  sweep(): void {
    for (const [key, cohort] of this.#cohorts) if (!cohort.deref()) this.#cohorts.delete(key);
  }
}

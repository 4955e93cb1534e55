/** Plans the related units in `include`: their numbers, and lists of them. Pure. */
import { parseRelatedTerm, type RelatedTerm } from '../../filter/include.parser.js';
import type { Names } from '../../model/predicate/path.js';
import { everyField } from '../../model/predicate/predicate.js';
import { resolveFilter } from '../../model/predicate/resolve-filter.js';
import { resolveRelated } from '../../model/predicate/resolve-related.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/shortened.js';
import type { ShownRelated } from '../../sql/list/related-record.sql.js';
import { planOrder } from './order.plan.js';

/** Fields that answers add to units. */
const ADDED_FIELDS = ['links', 'link'];

/** @throws KindError 400 with all faults; 401 and 403 for a kind that the caller may not read */
export function planRelated(texts: readonly string[], names: Names): readonly ShownRelated[] {
  return planTerms(texts, (text, others) => {
    const term = parseRelatedTerm(text);
    checkTermName(term.name, names, others);
    return planTerm(term, names);
  });
}

/**
 * Plans terms of `include`, and reports all their faults together.
 * @param plan plans a term; `others` are the names of those before it
 * @throws KindError 400 with all faults; other errors that `plan` throws
 */
export function planTerms<T extends { readonly name: string }>(
  texts: readonly string[],
  plan: (text: string, others: readonly string[]) => T,
): T[] {
  const faults = new Faults();
  const found: T[] = [];
  for (const text of texts) {
    try {
      const others = found.map(({ name }) => name);
      found.push(plan(text, others));
    } catch (error) {
      if (!(error instanceof KindError) || error.status !== 400) throw error;
      faults.addAllOf('include', error);
    }
  }
  faults.throwIfAny();
  return found;
}

/** @param others the names of other terms @throws KindError 400 for a name that is taken */
export function checkTermName(name: string, { visible }: Names, others: readonly string[]): void {
  const what = others.includes(name)
    ? 'two terms are'
    : visible.has(name) || ADDED_FIELDS.includes(name)
      ? 'a field is'
      : '';
  if (what === '') return;
  throw refusal('query.bad_value', `${what} named '${shortened(name)}'; give the term another name before its colon`);
}

function planTerm({ name, related, list }: RelatedTerm, names: Names): ShownRelated {
  const resolved = resolveRelated(related, names, resolveFilter);
  if (!list) return { name, related: resolved };
  const { relation } = related;
  const reached = relation.type === 'reference' ? names.reach?.related?.open(relation.kind, relation.at) : undefined;
  if (!reached) throw new Error('a list of related units follows a reference');
  const { kind, visible } = reached;
  const order = planOrder(list, { kind, visible, reach: names.reach, beyond: true });
  // Functions see hidden parameters of the unit itself, but could pass on those of units inside it.
  const fields = everyField(visible).filter(({ def }) => !def.hidden);
  return { name, related: resolved, list: { fields, order, limit: list.limit } };
}

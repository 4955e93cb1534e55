/** Plans what is answered of each unit: its fields, dotted paths, related units and snippets. Pure. */
import { isRelatedTerm, isSnippetTerm } from '../../filter/include.parser.js';
import { parsePath } from '../../filter/filter.parser.js';
import { printPath } from '../../filter/filter.printer.js';
import { ALL_FIELDS, type ListQuery } from '../../filter/queries.js';
import type { Field } from '../../model/model.js';
import { kindsText, segmentsOf, type Names } from '../../model/predicate/path.js';
import { everyField } from '../../model/predicate/predicate.js';
import { Faults, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { hasConditions } from '../../sql/list/hidden-fields.sql.js';
import { shortened } from '../../shared/shortened.js';
import type { ReadPlan, ShownPath } from '../../sql/list/select.sql.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { targetOf } from './order.plan.js';
import { planRelated } from './related.plan.js';
import { planSnippets } from './search.plan.js';

/** The fields of the unit to return, and the targets of the dotted paths in `include`. */
export function planAnswer(
  query: Pick<ListQuery, 'include' | 'exclude' | 'nest'>,
  names: Names,
): Pick<ReadPlan, 'fields' | 'paths' | 'nest' | 'related' | 'snippets'> {
  if (!query.include && !query.exclude) return { fields: everyField(names.visible) };
  const terms = query.include?.filter(isRelatedTerm) ?? [];
  const snippetTerms = terms.filter(isSnippetTerm);
  const relatedTerms = terms.filter((term) => !isSnippetTerm(term));
  const others = query.include?.filter((name) => !isRelatedTerm(name));
  const include = others?.filter((name) => !isPath(name));
  const dotted = others?.filter(isPath) ?? [];
  const faults = new Faults();
  const read = { include, exclude: query.exclude };
  const fields = collectFaults(faults, () => planFields(read, names), []);
  const paths = collectFaults(faults, () => planPaths(dotted, names), []);
  const related = collectFaults(faults, () => planRelated(relatedTerms, names), []);
  const taken = related.map(({ name }) => name);
  const snippets = collectFaults(faults, () => planSnippets(snippetTerms, names, taken), []);
  faults.throwIfAny();
  return {
    fields,
    ...(paths.length > 0 && { paths, ...(query.nest && { nest: true }) }),
    ...(related.length > 0 && { related }),
    ...(snippets.length > 0 && { snippets }),
  };
}

/**
 * Whether an answer by this plan may change while the unit does not: it shows other units too, by dotted paths, related
 * units or `load_links`, or it has fields that a rule may hide.
 */
export function showsMore({
  fields,
  paths,
  related,
  also,
}: Pick<ReadPlan, 'fields' | 'paths' | 'related' | 'also'>): boolean {
  return paths !== undefined || related !== undefined || also !== undefined || hasConditions(fields);
}

function isPath(name: string): boolean {
  return /[."]/.test(name);
}

/** Resolves dotted paths. In the answer, each path has its canonical spelling. */
function planPaths(texts: readonly string[], names: Names): readonly ShownPath[] {
  if (texts.length > LIMITS.includedPaths) {
    throw refusal('query.bad_value', `include: at most ${LIMITS.includedPaths} dotted paths`, { parameter: 'include' });
  }
  const faults = new Faults();
  const shown: Names = { ...names, showsValues: true };
  const found = new Map<string, ShownPath>();
  for (const text of texts) {
    const target = collectFaults(faults, () => targetOf(() => parsePath(text), shown, 'include'), undefined);
    if (!target) continue;
    const name = printPath(segmentsOf(target));
    found.set(name, { name, target });
  }
  faults.throwIfAny();
  return [...found.values()];
}

/** The fields to return, in the order of the record: those in `include`, or all except those in `exclude`. */
export function planFields(
  query: Pick<ListQuery, 'include' | 'exclude'>,
  names: Omit<Names, 'reach'>,
): readonly Field[] {
  const { visible } = names;
  if (!query.include && !query.exclude) return everyField(visible);
  const faults = new Faults();
  const check = (given: readonly string[], parameter: string) => {
    for (const name of given.filter((each) => !visible.has(each))) {
      faults.add(
        'parameter.unknown',
        parameter === 'exclude' && isPath(name)
          ? `exclude: '${shortened(name)}' is in no record, unless include asks for it`
          : `${parameter}: no parameter '${shortened(name)}' in ${kindsText(names)}${faults.hint(name, visible.keys())}`,
        { parameter },
      );
    }
  };
  check(query.include?.filter((name) => name !== ALL_FIELDS) ?? [], 'include');
  check(query.exclude ?? [], 'exclude');
  faults.throwIfAny();
  const [included, excluded] = [new Set(query.include), new Set(query.exclude)];
  if (included.has(ALL_FIELDS)) return everyField(visible);
  if (query.include) return everyField(visible).filter(({ id }) => included.has(id));
  return everyField(names.own ?? visible).filter(({ id }) => !excluded.has(id));
}

/** Plans what is answered of each unit: its fields, dotted paths, related units and snippets. Pure. */
import {
  isRelatedTerm,
  isSnippetTerm,
  parseRelatedTerm,
  parseSnippetTerm,
  rightsTermName,
  type RelatedTerm,
} from '../../filter/include.parser.js';
import type { RelatedUnits } from '../../filter/filter.ast.js';
import { parsePath } from '../../filter/filter.parser.js';
import { printPath } from '../../filter/filter.printer.js';
import { ALL_FIELDS, type ListQuery } from '../../filter/queries.js';
import { URL_FIELD } from '../../model/built-in/file-fields.js';
import type { Field } from '../../model/model.js';
import { kindsText, type Names, segmentsOf } from '../../model/predicate/path.js';
import { everyField, isOfHidden } from '../../model/predicate/predicate.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { hasConditions } from '../../sql/list/hidden-fields.sql.js';
import { shortened } from '../../shared/texts.js';
import type { FileAddresses } from '../../sql/list/file-address.sql.js';
import type { ReadPlan, ShownPath } from '../../sql/list/select.sql.js';
import { collectFaults } from '../../shared/collect-faults.js';
import { planOrder, targetOf } from './order.plan.js';
import { resolveOperand, resolverWith } from '../../model/predicate/resolve-filter.js';
import { resolveRelated } from '../../model/predicate/resolve-related.js';
import { checkUnconditional, unconditional } from '../../model/predicate/conditional-field.js';
import type { ShownSnippet } from '../../sql/condition/search.sql.js';
import type { ShownRelated } from '../../sql/list/related-record.sql.js';
import type { ShownRights, UnitRights } from '../../sql/list/unit-rights.sql.js';

export interface AnswerNames extends Names {
  /** What the caller may do with units; undefined where answers do not tell it. */
  readonly rights?: (() => UnitRights) | undefined;
  /**
   * How addresses of files are made; undefined where an answer may be shown later than it was made.
   * @throws KindError 400 where they are not possible
   */
  readonly addresses?: (() => FileAddresses) | undefined;
}

/** The fields of the unit to return, and the targets of the dotted paths in `include`. */
export function planAnswer(
  query: Pick<ListQuery, 'include' | 'exclude' | 'nest'>,
  names: AnswerNames,
): Pick<ReadPlan, 'fields' | 'paths' | 'nest' | 'related' | 'snippets' | 'can'> {
  if (!query.include && !query.exclude) return { fields: everyField(names.visible) };
  const terms = query.include?.filter(isRelatedTerm) ?? [];
  const snippetTerms = terms.filter(isSnippetTerm);
  const rightsTerms = terms.filter((term) => rightsTermName(term) !== undefined);
  const relatedTerms = terms.filter((term) => !isSnippetTerm(term) && !rightsTerms.includes(term));
  const plain = query.include?.filter((name) => !isRelatedTerm(name));
  const isAlone = (name: string) => isPath(name) || names.visible.get(name)?.madeForAnswer === true;
  const include = plain?.filter((name) => !isAlone(name));
  const dotted = plain?.filter(isAlone) ?? [];
  const faults = new Faults();
  const read = { include, exclude: query.exclude };
  const fields = collectFaults(faults, () => planFields(read, names), []);
  const paths = collectFaults(faults, () => planPaths(dotted, names), []);
  const related = collectFaults(faults, () => planRelated(relatedTerms, names), []);
  const taken = related.map(({ name }) => name);
  const snippets = collectFaults(faults, () => planSnippets(snippetTerms, names, taken), []);
  const others = [...taken, ...snippets.map(({ name }) => name)];
  const [can] = collectFaults(faults, () => planRights(rightsTerms, names, others), []);
  faults.throwIfAny();
  return {
    fields,
    ...(paths.length > 0 && { paths, ...(query.nest && { nest: true }) }),
    ...(related.length > 0 && { related }),
    ...(snippets.length > 0 && { snippets }),
    ...(can && { can }),
  };
}

/**
 * Whether an answer by this plan may change while the unit does not: it shows other units too, by dotted paths, related
 * units or `load_links`, or what the caller may do, or it has fields that a rule may hide.
 */
export function showsMore({
  fields,
  paths,
  related,
  can,
  also,
}: Pick<ReadPlan, 'fields' | 'paths' | 'related' | 'can' | 'also'>): boolean {
  const more = paths ?? related ?? can ?? also;
  return more !== undefined || hasConditions(fields);
}

function isPath(name: string): boolean {
  return /[."]/.test(name);
}

/** Resolves dotted paths. In the answer, each path has its canonical spelling. */
function planPaths(texts: readonly string[], names: AnswerNames): readonly ShownPath[] {
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
    const addresses = target.field.madeForAnswer && collectFaults(faults, () => addressesOf(names), undefined);
    found.set(name, { name, target, ...(addresses && { addresses }) });
  }
  faults.throwIfAny();
  return [...found.values()];
}

/** @throws KindError 400 */
function addressesOf({ addresses }: AnswerNames): FileAddresses {
  if (addresses) return addresses();
  const text = `include: '${URL_FIELD.id}' of files is made for each answer and ends; it is not possible here`;
  throw refusal('query.bad_value', text, { parameter: 'include' });
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

/** Fields that answers add to units. */
const ADDED_FIELDS = ['links', 'link'];

/** @throws KindError 400 with all faults; 401 and 403 for a kind that the caller may not read */
function planRelated(texts: readonly string[], names: Names): readonly ShownRelated[] {
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
function planTerms<T extends { readonly name: string }>(
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
function checkTermName(name: string, { visible }: Names, others: readonly string[]): void {
  const what = others.includes(name)
    ? 'two terms are'
    : visible.has(name) || ADDED_FIELDS.includes(name)
      ? 'a field is'
      : '';
  if (what === '') return;
  throw refusal('query.bad_value', `${what} named '${shortened(name)}'; give the term another name before its colon`);
}

function planTerm({ name, related, list }: RelatedTerm, names: Names): ShownRelated {
  const { relation } = related;
  if (!list) return { name, ...planNumber(related, names) };
  const resolved = resolveRelated(related, names, resolverWith());
  const reached = relation.type === 'reference' ? names.reach?.related?.open(relation.kind, relation.at) : undefined;
  if (!reached) throw new Error('a list of related units follows a reference');
  const { kind, visible } = reached;
  const order = planOrder(list, { kind, visible, reach: names.reach, beyond: true });
  // Functions see hidden parameters of the unit itself, but could pass on those of units inside it.
  const fields = everyField(visible).filter(({ def }) => !def.hidden);
  return { name, related: resolved, list: { fields, order, limit: list.limit } };
}

/** @throws KindError 400 also for a sum of what is hidden: functions could pass it on */
function planNumber(related: RelatedUnits, names: Names): Pick<ShownRelated, 'related' | 'field'> {
  const { at } = related.summed ?? related.relation;
  const { counted, field } = resolveOperand({ segments: [], counted: related, at }, names);
  if (!counted) throw new Error('a number of related units is counted');
  if (!counted.summed) return { related: counted };
  if (isOfHidden(counted.summed)) {
    const { id } = counted.summed.field;
    throw refusal('filter.unknown_parameter', `'${id}' is hidden, and is not summed here, at character ${at}`);
  }
  return { related: counted, field };
}

/**
 * The snippets in `include`.
 * @param others the names of other terms
 * @throws KindError 400 with all faults
 */
function planSnippets(texts: readonly string[], names: Names, others: readonly string[]): ShownSnippet[] {
  if (texts.length > LIMITS.snippets) {
    throw refusal('query.bad_value', `include: at most ${LIMITS.snippets} snippets`, { parameter: 'include' });
  }
  return planTerms(texts, (text, before) => {
    const { name, path } = parseSnippetTerm(text);
    checkTermName(name, names, [...others, ...before]);
    return planSnippet(name, path.segments, names);
  });
}

function planSnippet(name: string, [parameter = '', ...more]: readonly string[], names: Names): ShownSnippet {
  const { search, visible } = names;
  if (!search) throw refusal('query.bad_value', 'snippet() needs a search');
  const field = more.length === 0 ? visible.get(parameter) : undefined;
  if (field?.def.search !== undefined) {
    checkUnconditional(field);
    return { name, field, search };
  }
  const searched = [...unconditional(visible).values()]
    .filter(({ def }) => def.search !== undefined)
    .map(({ id }) => id);
  throw refusal('query.bad_value', `snippet() wants a parameter that is searched: ${searched.join(', ')}`);
}

/** What the caller may do, once. @param others the names of other terms @throws KindError 400 */
function planRights(texts: readonly string[], names: AnswerNames, others: readonly string[]): ShownRights[] {
  const planned = planTerms(texts, (text, before) => {
    const name = rightsTermName(text) ?? '';
    checkTermName(name, names, [...others, ...before]);
    if (before.length > 0) throw refusal('query.bad_value', 'can() is there once');
    if (names.rights) return { ...names.rights(), name };
    throw refusal('query.bad_value', 'can() is of the units of a list themselves, in tables');
  });
  return planned;
}

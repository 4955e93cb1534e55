/**
 * Resolves functions over related units: `comment.article`, the units of a kind that refer to a unit, and
 * `borders,child,country`, those that are linked with it. Pure.
 */
import type { Filter, Neighbours, Path, Referrers, RelatedUnits } from '../../filter/filter.ast.js';
import { isLinkPath, pathsOf, splitByLink } from '../../filter/filter.walk.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { refusal } from '../../shared/errors.js';
import { isLinkable, type Field } from '../model.js';
import { checkUnconditional } from './conditional-field.js';
import { resolveAbsent, sharedNames } from './absent-parameter.js';
import {
  kindsText,
  namesOfKinds,
  openedAt,
  unknownName,
  type LinkNames,
  type Names,
  type Reached,
  type RelatedReach,
} from './path.js';
import type { Predicate, Related, RelatedKind, Target, Visible } from './predicate.js';
import { constantResult } from './related.js';

/** Resolve the filter of related units, and what is summed of them. */
export interface ResolveInner {
  readonly filter: (filter: Filter, names: Names) => Predicate;
  readonly sum: (summed: Path, names: Names) => Target;
}

/**
 * @throws KindError 400 with the position, for an unknown kind, parameter or link type; 401 or 403 for a kind that the
 *   caller may not read
 */
export function resolveRelated(related: RelatedUnits, names: Names, resolve: ResolveInner): Related {
  const { relation } = related;
  const reach = names.reach?.related;
  if (!reach) {
    const text = `units that are related to one another can't be tested here, at character ${relation.at}`;
    throw refusal('filter.bad_operator', text);
  }
  return relation.type === 'reference'
    ? referrers(relation, related, { names, reach, resolve })
    : neighbours(relation, related.filter, { names, reach, resolve });
}

interface Context {
  readonly names: Names;
  readonly reach: RelatedReach;
  readonly resolve: ResolveInner;
}

function referrers(relation: Referrers, { filter, summed }: RelatedUnits, { names, reach, resolve }: Context): Related {
  const { kind: kindId, parameter, at } = relation;
  const { kind, visible, access } = openedAt(`${kindId}.${parameter}`, at, () => reach.open(kindId, at));
  const field = visible.get(parameter);
  if (!field) {
    names.reach?.checkField(kind, parameter);
    const hint = didYouMean(
      parameter,
      [...visible.values()].filter(isReference).map(({ id }) => id),
    );
    throw unknownName(parameter, `no parameter '${shortened(parameter)}' in '${kind.id}'${hint}`, at);
  }
  checkUnconditional(field);
  const leadsTo = isReference(field) ? field.reference?.kind : undefined;
  if (!(names.kinds ?? [names.kind]).some(({ id }) => id === leadsTo)) {
    const what = leadsTo === undefined ? 'is no reference' : `doesn't refer to units of ${kindsText(names)}`;
    throw unknownName(parameter, `'${kind.id}.${parameter}' ${what}`, at);
  }
  const inner: Names = { kind, visible, reach: names.reach, beyond: true };
  const units: RelatedKind = { kind, access, filter: filter && resolve.filter(filter, inner) };
  return {
    via: { type: 'reference', field },
    of: names.kind,
    kinds: leadsTo === names.kind.id ? [units] : [],
    ...(summed && { summed: resolve.sum(summed, inner) }),
  };
}

function isReference(field: Field): boolean {
  return field.reference !== undefined && field.column !== undefined;
}

function neighbours(relation: Neighbours, filter: Filter | undefined, context: Context): Related {
  const { names, reach } = context;
  const { link, direction, kinds: named, at } = relation;
  const ofType = reach.openLinkType(link, at);
  if (!(names.kinds ?? [names.kind]).some(isLinkable)) {
    throw refusal('filter.bad_operator', `units of ${kindsText(names)} have no links, at character ${at}`);
  }
  const found = named?.map((id) => openLinkable(id, at, reach));
  const { kinds, complete } = found ? { kinds: found, complete: false } : reach.linkable();
  const { ofLink, others } = filter ? splitByLink(filter) : {};
  reach.spend(others && !named ? kinds.length : 1, at);
  const where = ofLink && context.resolve.filter(ofLink, namesOfLink(ofType, names));
  const units = others
    ? withFilter(kinds, others, ofType, context)
    : kinds.map(({ kind, access }) => plain(kind, access));
  const everyKind = complete && !others && kinds.every(({ access }) => !access);
  return {
    via: { type: 'link', link, direction, everyKind, where },
    of: names.kind,
    kinds: isLinkable(names.kind) ? units : [],
  };
}

function openLinkable(id: string, at: number, reach: RelatedReach): Reached {
  const reached = openedAt(id, at, () => reach.open(id, at));
  if (isLinkable(reached.kind)) return reached;
  throw unknownName(id, `units of '${reached.kind.id}' have no links`, at);
}

/** The names of a filter that tests links alone. */
export function namesOfLink(link: LinkNames, { kind, reach }: Pick<Names, 'kind' | 'reach'>): Names {
  return { kind, visible: new Map(), link, reach, beyond: true };
}

function plain(kind: RelatedKind['kind'], access: Predicate | undefined): RelatedKind {
  return { kind, access, filter: undefined };
}

/** As in groups, a parameter that only some of the kinds have is null in the others. */
function withFilter(
  kinds: readonly Reached[],
  filter: Filter,
  link: LinkNames,
  { names, resolve }: Context,
): RelatedKind[] {
  const paths = pathsOf(filter).filter(({ segments }) => !isLinkPath(segments));
  const roots = new Set(paths.flatMap(({ segments: [root] }) => root ?? []));
  const own = kinds.map(({ visible }) => only(visible, roots));
  const several = {
    kinds: kinds.map(({ kind }) => kind),
    ...namesOfKinds(kinds),
    link,
    reach: names.reach,
    beyond: true,
  } as const;
  const [first] = kinds;
  const isKnown = (root: string) => own.some((visible) => visible.has(root));
  if (first && ![...roots].every(isKnown)) {
    // Fails, with the nearest of all names.
    resolve.filter(filter, {
      ...several,
      kind: first.kind,
      visible: new Map(kinds.flatMap(({ visible }) => [...visible])),
    });
  }
  const named = kinds.map(({ kind }, at) => ({ kind, visible: own[at] ?? new Map<string, Field>() }));
  const namesOf = sharedNames(named, { used: roots, tested: roots, given: new Set() });
  return kinds.flatMap(({ kind, access }, at): RelatedKind[] => {
    const { visible, absent } = namesOf(own[at] ?? new Map());
    const resolved = resolveAbsent(resolve.filter(filter, { ...several, kind, visible }), absent);
    const result = constantResult(resolved);
    return result === false ? [] : [{ kind, access, filter: result === true ? undefined : resolved }];
  });
}

function only(visible: Visible, names: ReadonlySet<string>): Visible {
  return new Map(
    [...names].flatMap((name) => {
      const field = visible.get(name);
      return field ? [[name, field] as const] : [];
    }),
  );
}

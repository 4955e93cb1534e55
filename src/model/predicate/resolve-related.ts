/**
 * Resolves functions over related units: `comment.article`, the units of a kind that refer to a unit,
 * `borders,child,country`, those that are linked with it, and `article`, those that lead to it in any way. Pure.
 */
import type { Filter, Neighbours, Path, Referrers, RelatedUnits, Users } from '../../filter/filter.ast.js';
import { isLinkPath, pathsOf, splitByLink } from '../../filter/filter.walk.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { refusal } from '../../shared/errors.js';
import { isLinkable, type Field } from '../model.js';
import { checkUnconditional, conditionOf, plainField } from './conditional-field.js';
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
  type UserKind,
  type UserReach,
} from './path.js';
import { conjunction, type Predicate, type Related, type RelatedKind, type Target, type Visible } from './predicate.js';
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
  switch (relation.type) {
    case 'reference':
      return referrers(relation, related, { names, reach, resolve });
    case 'link':
      return neighbours(relation, related.filter, { names, reach, resolve });
    case 'any':
      throw new Error('referred is a test, and no number');
  }
}

/** Whether a unit has related units. @throws KindError as `resolveRelated` does */
export function resolveExistence(related: RelatedUnits, names: Names, resolve: ResolveInner): Predicate {
  const { relation, filter } = related;
  if (relation.type !== 'any') return { op: 'exists', related: resolveRelated(related, names, resolve) };
  const users = names.reach?.related?.users;
  if (!users || (users.of && users.of !== names.kind)) {
    const text = `referred stands in filters, and of rules in the access of files, at character ${relation.at}`;
    throw refusal('filter.bad_operator', text);
  }
  return referred(relation, filter, users, { names, resolve });
}

/** `referred`, as an `or` of one test for each reference, and one for links. */
function referred(
  relation: Users,
  filter: Filter | undefined,
  users: UserReach,
  { names, resolve }: Pick<Context, 'names' | 'resolve'>,
): Predicate {
  const named = relation.kind === undefined ? undefined : openUser(relation, relation.kind, users, names);
  if (users.over && !names.beyond && !filter && isOver(relation, users.over)) return { op: 'constant', value: true };
  const kinds = relation.kind === undefined ? users.kinds() : named ? [named] : [];
  const units = kinds.map((user) => {
    const { kind, visible, access } = user;
    const inner: Names = { kind, visible, reach: names.reach, beyond: true };
    return { user, related: { kind, access, filter: filter && resolve.filter(filter, inner) } };
  });
  const referring = units.flatMap(({ user, related }) =>
    referencesTo(user, relation.parameter, names).map((field): Related => {
      const access = conjunction(related.access, conditionOf(field));
      return {
        via: { type: 'reference', field: plainField(field) },
        of: names.kind,
        kinds: [{ ...related, access }],
      };
    }),
  );
  const linkable = relation.parameter === undefined && isLinkable(names.kind) ? units.filter(isLinkableUser) : [];
  const linked: Related = { via: { type: 'links' }, of: names.kind, kinds: linkable.map((each) => each.related) };
  const found = [...referring, ...(linkable.length > 0 ? [linked] : [])];
  if (found.length === 0) return { op: 'constant', value: false };
  return {
    op: 'or',
    parts: found.map((each): Predicate => ({ op: 'exists', related: each })),
    referred: {
      tests: found.length,
      kinds: [...new Set(referring.flatMap((each) => each.kinds.map(({ kind }) => kind)))],
      limited: users.limited,
      all: relation.kind === undefined,
    },
  };
}

function isLinkableUser({ related }: { readonly related: RelatedKind }): boolean {
  return isLinkable(related.kind);
}

/** Whether the reference over which units are read is one of those that count. */
function isOver({ kind, parameter }: Users, over: NonNullable<UserReach['over']>): boolean {
  return (kind ?? over.kind.id) === over.kind.id && (parameter ?? over.reference.id) === over.reference.id;
}

/** The references of a kind that lead to units of the query. @param id of the one that counts; undefined for all */
function referencesTo({ readable }: UserKind, id: string | undefined, { kind: to }: Names): Field[] {
  return [...readable.values()].filter((field) => {
    return isReference(field) && field.reference?.kind === to.id && (id ?? field.id) === field.id;
  });
}

function openUser(
  { parameter, at }: Users,
  kindId: string,
  users: UserReach,
  names: Pick<Names, 'kind' | 'kinds' | 'called' | 'reach'>,
): UserKind | undefined {
  const name = parameter === undefined ? kindId : `${kindId}.${parameter}`;
  const opened = openedAt(name, at, () => users.open(kindId, at));
  if (opened && parameter !== undefined) referenceNamed(opened, { parameter, at }, names);
  return opened;
}

interface Context {
  readonly names: Names;
  readonly reach: RelatedReach;
  readonly resolve: ResolveInner;
}

function referrers(relation: Referrers, { filter, summed }: RelatedUnits, { names, reach, resolve }: Context): Related {
  const { kind: kindId, parameter, at } = relation;
  const { kind, visible, access } = openedAt(`${kindId}.${parameter}`, at, () => reach.open(kindId, at));
  const field = referenceNamed({ kind, visible }, { parameter, at }, names);
  checkUnconditional(field);
  const inner: Names = { kind, visible, reach: names.reach, beyond: true };
  const units: RelatedKind = { kind, access, filter: filter && resolve.filter(filter, inner) };
  return {
    via: { type: 'reference', field },
    of: names.kind,
    kinds: field.reference?.kind === names.kind.id ? [units] : [],
    ...(summed && { summed: resolve.sum(summed, inner) }),
  };
}

/** The parameter that refers to units of the query. @throws KindError 400 if it is none, or 403 */
function referenceNamed(
  { kind, visible }: Pick<Reached, 'kind' | 'visible'>,
  { parameter, at }: Pick<Referrers, 'parameter' | 'at'>,
  names: Pick<Names, 'kind' | 'kinds' | 'called' | 'reach'>,
): Field {
  const field = visible.get(parameter);
  if (!field) {
    names.reach?.checkField(kind, parameter);
    const hint = didYouMean(
      parameter,
      [...visible.values()].filter(isReference).map(({ id }) => id),
    );
    throw unknownName(parameter, `no parameter '${shortened(parameter)}' in '${kind.id}'${hint}`, at);
  }
  const leadsTo = isReference(field) ? field.reference?.kind : undefined;
  if ((names.kinds ?? [names.kind]).some(({ id }) => id === leadsTo)) return field;
  const what = leadsTo === undefined ? 'is no reference' : `doesn't refer to units of ${kindsText(names)}`;
  throw unknownName(parameter, `'${kind.id}.${parameter}' ${what}`, at);
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

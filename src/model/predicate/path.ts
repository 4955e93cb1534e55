/**
 * Resolves paths: `population`, `meta.color`, `country.continent.name`. A path follows references to other units, and
 * ends at a field or at a key in a JSON field. Pure.
 */
import type { Path } from '../../filter/filter.ast.js';
import { printPath } from '../../filter/filter.printer.js';
import { isLinkPath, LINK_PREFIX } from '../../filter/filter.walk.js';
import { KindError, refusal } from '../../shared/errors.js';
import { NO_RIGHT } from '../held-members.js';
import { LIMITS } from '../../shared/limits.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import type { Field, KindDef, Model } from '../model.js';
import { checkUnconditional } from './conditional-field.js';
import type { Predicate, Step, Target, Visible } from './predicate.js';
import type { Search } from '../search-document.js';

/** The names that a filter, order or rule may use. */
export interface Names {
  readonly kind: KindDef;
  /** The fields of the kind, by name. */
  readonly visible: Visible;
  /** Those of them that the kind has itself, in a query over several; otherwise all. */
  readonly own?: Visible;
  /** The text for the kinds in messages, if a query is over several. */
  readonly called?: string;
  /** The kinds of a query over several; otherwise `kind` alone. */
  readonly kinds?: readonly KindDef[];
  /** Whether the units are reached from others, so that a field which the caller may not read is reported as on a path. */
  readonly beyond?: boolean;
  /** The fields of the link that leads to the unit, after `link.`; without it, `link` is a name as any other. */
  readonly link?: LinkNames | undefined;
  /** Follows references; without it, paths cannot leave the unit. */
  readonly reach?: Reach | undefined;
  /** Whether the values are only shown, so that paths may name fields that only some units show. */
  readonly showsValues?: true;
  /** The search of the request, whose rank and snippets it may name. */
  readonly search?: Search | undefined;
}

/** The fields of a link that a filter or order may use. */
export interface LinkNames {
  /** The types that the link may have, as kinds (`LinkTypeDef.values`). */
  readonly types: readonly KindDef[];
  readonly visible: Visible;
}

/** Sets `called` and `kinds` if a query is over several kinds. */
export function namesOfKinds(kinds: readonly Pick<Names, 'kind'>[]): Pick<Names, 'called' | 'kinds'> {
  return kinds.length > 1 ? { called: 'any of these kinds', kinds: kinds.map(({ kind }) => kind) } : {};
}

/** The kind or kinds of a query, for a message: `'city'`. */
export function kindsText({ kind, called }: Pick<Names, 'kind' | 'called'>): string {
  return called ?? `'${kind.id}'`;
}

/** Which referenced units a path may lead to, and which of their fields it may name. */
export interface Reach {
  /**
   * @param at the position at which the path begins
   * @param from the kind of the unit with the reference, which is read
   * @throws KindError if the caller may not read the kind
   */
  follow(reference: Field, at: number, from: KindDef): Reached;
  /** @throws KindError if the kind has a field of that name, and the caller may know of it but not read it */
  checkField(kind: KindDef, name: string): void;
  /** Leads to related units; without it they cannot be tested. */
  readonly related?: RelatedReach;
  /**
   * The schema of PostgreSQL's extension pg_trgm; without it texts cannot be compared by their similarity.
   * @throws KindError 400 where there is none
   */
  trigrams?(at: number): string;
}

/** The kinds and link types that functions over related units may name. */
export interface RelatedReach {
  /** @param at the position of its name @throws KindError if there is no such kind, or the caller may not read it */
  open(kindId: string, at: number): Reached;
  /** The kinds of units that can be linked and that the caller may read; `complete` if these are all. */
  linkable(): { readonly kinds: readonly Reached[]; readonly complete: boolean };
  /** The fields of a link type that the caller may read. @throws KindError if there is no such link type */
  openLinkType(id: string, at: number): LinkNames;
  /** What `referred` looks at; without it, that cannot be asked here. */
  readonly users?: UserReach;
  /** Takes a number of kinds from those that the functions of one request may test without naming them. */
  spend(kinds: number, at: number): void;
}

/**
 * The units that count as users of others: those that the caller may read, and by references that it may read. Units of
 * kinds with contents never count, as whether they are readable may depend on their users.
 */
export interface UserReach {
  /** The kinds of which the caller may read units. */
  kinds(): readonly UserKind[];
  /** @throws KindError if there is no such kind @returns undefined if that of the caller counts for nothing */
  open(kindId: string, at: number): UserKind | undefined;
  /** The only kind whose units it can be asked of, in rules; undefined for all. */
  readonly of?: KindDef;
  /** Whether lists look at a limited number of kinds. */
  readonly limited: boolean;
  /** The reference over which the units are read, by a unit that counts; undefined where they are read otherwise. */
  readonly over?: { readonly kind: KindDef; readonly reference: Field };
}

export interface UserKind extends Reached {
  /** The fields that the caller may read; `visible` are those that the filter may name. */
  readonly readable: Visible;
}

export interface Reached extends Pick<Names, 'kind' | 'visible'> {
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

/** After a refusal: what stands for the member, and for the unit before an edit. */
export const ONLY_IN_RULES = ': @member. and @before. are known in rules of access, not in filters';

/**
 * Resolves a path to a field, or to a key in a JSON field.
 * @throws KindError 400 with the name that cannot be resolved and its position; what `names.reach` throws
 */
export function resolvePath(path: Path, names: Names): Target {
  return names.link && isLinkPath(path.segments) ? linkTarget(path, names.link, names.reach) : unitTarget(path, names);
}

function linkTarget({ segments, at }: Path, { types, visible }: LinkNames, reach: Reach | undefined): Target {
  const [, name = '', ...keys] = segments;
  const field = visible.get(name);
  if (!field) {
    for (const type of types) reach?.checkField(type, name);
    const [only] = types.length === 1 ? types : [];
    const where = only ? `links of type '${only.id}'` : 'links of any of these types';
    throw unknownName(name, `no parameter '${shortened(name)}' in ${where}${didYouMean(name, visible.keys())}`, at);
  }
  const hasKeys = field.type.hasKeys && !field.def.multiple;
  if (keys.length === 0 || hasKeys) return { field, keys, ofLink: true };
  throw unknownName(name, `'${LINK_PREFIX}.${name}' leads no further: only the keys of a json parameter do`, at);
}

function unitTarget({ segments, at }: Path, { reach, beyond, showsValues, ...names }: Names): Target {
  const through: Step[] = [];
  let current: Omit<Names, 'reach'> = names;
  for (const [passed, name] of segments.entries()) {
    const field = current.visible.get(name);
    const rest = segments.slice(passed + 1);
    if (!field) {
      if (segments.length > 1 || beyond) reach?.checkField(current.kind, name);
      const hint = name === '@member' || name === '@before' ? ONLY_IN_RULES : didYouMean(name, current.visible.keys());
      throw unknownName(name, `no parameter '${shortened(name)}' in ${kindsText(current)}${hint}`, at);
    }
    if (!showsValues) checkUnconditional(field);
    if (!showsValues && field.madeForAnswer) {
      const text = `'${name}' is made for each answer: include shows it, and nothing is selected, ordered or added up by it`;
      throw unknownName(name, text, at);
    }
    const hasKeys = field.type.hasKeys && !field.def.multiple;
    if (rest.length === 0 || hasKeys) return { field, keys: rest, ...(through.length > 0 && { through }) };
    if (!field.reference || !reach) {
      throw unknownName(name, `'${name}' leads no further: only a unit parameter or the keys of a json one do`, at);
    }
    if (through.length === LIMITS.references) throw tooManyReferences(name, at);
    const next = follow(reach, field, { segments, at }, current.kind);
    through.push({ reference: field, kind: next.kind, access: next.access });
    current = next;
  }
  throw new Error('a path has a segment');
}

/** Follows a reference; adds the path to the text of a refusal. */
function follow(reach: Reach, reference: Field, { segments, at }: Path, from: KindDef): Reached {
  return openedAt(printPath(segments), at, () => reach.follow(reference, at, from));
}

/** Adds the text and the position of a name that leads to a kind to the text of a refusal. */
export function openedAt<T>(name: string, at: number, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof KindError) || !NO_RIGHT.has(error.code)) throw error;
    const [{ code, text }] = error.messages;
    const path = shortened(name);
    const why = code === 'token.missing' ? 'a bearer token is needed to follow it' : text;
    throw refusal(code, `'${path}': ${why}, at character ${at}`, { parameter: path });
  }
}

export function unknownName(name: string, text: string, at: number): KindError {
  return refusal('filter.unknown_parameter', `${text}, at character ${at}`, { parameter: shortened(name) });
}

function tooManyReferences(name: string, at: number) {
  const text = `a path leads over at most ${LIMITS.references} references; '${name}' is one too many, at character ${at}`;
  return refusal('filter.too_large', text, { parameter: name });
}

/** The segments of the path to a target: ids of references or `link`, id of the field, keys. */
export function segmentsOf({ field, keys, through = [], ofLink }: Target): string[] {
  return [...(ofLink ? [LINK_PREFIX] : []), ...through.map(({ reference }) => reference.id), field.id, ...keys];
}

/** The fields that a path names, each with its kind, up to the first name that the model does not have. */
export function fieldsAlong(
  segments: readonly string[],
  kind: KindDef,
  model: Model,
): { kind: KindDef; field: Field }[] {
  const found: { kind: KindDef; field: Field }[] = [];
  let current: KindDef | undefined = kind;
  for (const name of segments) {
    const field: Field | undefined = current?.fields.get(name);
    if (!current || !field) break;
    found.push({ kind: current, field });
    current = field.reference && model.kinds.get(field.reference.kind);
  }
  return found;
}

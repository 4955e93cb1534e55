/** Rules that a change of definitions leaves without something that they name. Pure. */
import { isPlainObject, type Json } from '../shared/json.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import {
  conditionKey,
  kindsNamed,
  type FieldAccessField,
  namesOfConditions,
  namesOfFieldRules,
  namesOfLinkRules,
  namesOfRules,
  type FilterNames,
  type RelatedNames,
  type RuleNames,
} from '../model/check/stored-rules.js';
import { isLinkable, isMemberKind, kindsUsing, type KindDef, type Model } from '../model/model.js';
import { withClosedConditions } from '../model/parameter-setting/transitions.setting.js';
import { fieldsAlong } from '../model/predicate/path.js';

/** The new `access` of kinds and link types, and the fields of parameters that become `nobody`, by the ids of their records. */
export interface ClosedAccess {
  readonly kinds: ReadonlyMap<string, Json>;
  readonly linkTypes: ReadonlyMap<string, Json>;
  readonly parameters: ReadonlyMap<string, readonly FieldAccessField[]>;
  /** The new `transitions` of parameters, by the ids of their records. */
  readonly transitions: ReadonlyMap<string, Json>;
}

/**
 * Finds rules that name something which a change has removed, and returns the new `access` of their kinds and link types:
 * a parameter of the units themselves, behind a reference or of related units, a kind, or a link type. The operations of
 * such rules, and the `read_access` and `write_access` of parameters with such rules, are set to `nobody`, as are the
 * transitions with such conditions, so that a new one of the same name does not bring the rule back.
 */
export function* orphanedAccess(before: Model, after: Model): WorkInPieces<ClosedAccess> {
  const lostMember = (rule: RuleNames) => !rule.member.every((path) => isMemberPathKept(path, before, after));
  const kinds = new Map<string, Json>();
  for (const kind of after.kinds.values()) {
    yield;
    const old = before.kinds.get(kind.id);
    if (!old || !isPlainObject(kind.access)) continue;
    const isLost = (rule: RuleNames) => !isKept(rule, { kind: old, model: before }, { kind, model: after });
    const closed = closedAccess(kind.access, namesOfRules(kind.access), (rule) => lostMember(rule) || isLost(rule));
    if (closed) kinds.set(kind.id, closed);
  }
  const linkTypes = new Map<string, Json>();
  for (const { id, access } of after.linkTypes.values()) {
    yield;
    if (!before.linkTypes.has(id) || !isPlainObject(access)) continue;
    const isLost = (rule: RuleNames) => !rule.related.every((names) => isRelationKept(names, before, after));
    const closed = closedAccess(access, namesOfLinkRules(access, id), (rule) => lostMember(rule) || isLost(rule));
    if (closed) linkTypes.set(id, closed);
  }
  const parameters = new Map<string, FieldAccessField[]>();
  const transitions = new Map<string, Json>();
  for (const [recordId, def] of after.parameters) {
    const [named, conditions] = [namesOfFieldRules(def), namesOfConditions(def)];
    if (named.size + conditions.size === 0) continue;
    yield;
    const users = kindsUsing(after, recordId).flatMap((kind) => {
      const old = before.kinds.get(kind.id);
      return old ? [{ old, kind }] : [];
    });
    const isLost = (rule: RuleNames) =>
      lostMember(rule) ||
      users.some(({ old, kind }) => !isKept(rule, { kind: old, model: before }, { kind, model: after }));
    const closed = [...named].flatMap(([name, rules]) => (rules.some(isLost) ? [name] : []));
    if (closed.length > 0) parameters.set(recordId, closed);
    const isClosed = (rules: readonly string[]) => conditions.get(conditionKey(rules))?.some(isLost) ?? false;
    const remaining = def.transitions && withClosedConditions(def.transitions, isClosed);
    if (remaining) transitions.set(recordId, remaining);
  }
  return { kinds, linkTypes, parameters, transitions };
}

/** The access with `nobody` for operations with a lost rule; undefined if there are none. */
function closedAccess(
  access: object,
  named: ReadonlyMap<string, readonly RuleNames[]>,
  isLost: (rule: RuleNames) => boolean,
): Json | undefined {
  const orphaned = [...named].filter(([, rules]) => rules.some(isLost));
  if (orphaned.length === 0) return undefined;
  const closed = Object.fromEntries(orphaned.map(([operation]) => [operation, 'nobody']));
  return { ...(access as Record<string, Json>), ...closed };
}

/**
 * Whether a path from the member leads to the same fields in each member kind as before, or to none in one that is no
 * member kind any more, if another one is left.
 */
function isMemberPathKept(path: readonly string[], before: Model, after: Model): boolean {
  const having = (model: Model) =>
    [...model.kinds.values()].filter((kind) => isMemberKind(kind) && kind.fields.has(path[0] ?? ''));
  const [had, have] = [having(before), having(after)];
  if (had.length === 0) return true;
  const isSame = (old: KindDef) => {
    const kind = have.find(({ id }) => id === old.id);
    return !kind || isPrefix(fieldsOfPath(path, old, before), fieldsOfPath(path, kind, after));
  };
  return have.length > 0 && had.every(isSame);
}

/** The fields of a path as `kind.field`: two models mean the same path if these are the same. */
function fieldsOfPath(path: readonly string[], kind: KindDef, model: Model): string[] {
  return fieldsAlong(path, kind, model).map((step) => `${step.kind.id}.${step.field.id}`);
}

/** A path of a new rule may be known to the former model only in part. */
function isPrefix(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((step, at) => step === whole[at]);
}

/** A kind in one of the two models. */
interface KindIn {
  readonly kind: KindDef;
  readonly model: Model;
}

/** Whether everything that a filter names and that the former model had is the same in the new one. */
function isKept({ paths, related }: FilterNames, before: KindIn, after: KindIn): boolean {
  return (
    paths.every((path) =>
      isPrefix(fieldsOfPath(path, before.kind, before.model), fieldsOfPath(path, after.kind, after.model)),
    ) && related.every((names) => isRelationKept(names, before.model, after.model))
  );
}

function isRelationKept(names: RelatedNames, before: Model, after: Model): boolean {
  const { relation } = names;
  const isInBoth = (id: string) => !before.kinds.has(id) || after.kinds.has(id);
  if (!kindsNamed(relation).every(isInBoth)) return false;
  const isKindKept = (id: string) => {
    const [old, kind] = [before.kinds.get(id), after.kinds.get(id)];
    if (!old || !kind) return true;
    return isKept(names, { kind: old, model: before }, { kind, model: after });
  };
  if (!('link' in relation)) {
    const [id, parameter] = [relation.kind ?? '', relation.parameter ?? ''];
    const [old, now] = [before, after].map(({ kinds }) => kinds.get(id)?.fields.get(parameter));
    const isSame = !old || (now !== undefined && now.reference?.kind === old.reference?.kind);
    return isSame && isKindKept(id);
  }
  const [oldType, newType] = [before.linkTypes.get(relation.link), after.linkTypes.get(relation.link)];
  if (oldType) {
    if (!newType) return false;
    const own: FilterNames = { paths: names.linkPaths, related: [] };
    if (!isKept(own, { kind: oldType.values, model: before }, { kind: newType.values, model: after })) return false;
  }
  if (relation.kinds) return relation.kinds.every(isKindKept);
  return [...before.kinds.keys()].every(isKindKept) && isKnownStill(names, before, after);
}

/** Whether each parameter that a removed kind had is in one of those that are left. */
function isKnownStill({ paths }: RelatedNames, before: Model, after: Model): boolean {
  const removed = [...before.kinds.values()].filter((kind) => isLinkable(kind) && !after.kinds.has(kind.id));
  const roots = paths.flatMap(([root]) => root ?? []).filter((root) => removed.some(({ fields }) => fields.has(root)));
  return roots.every((root) => [...after.kinds.values()].some((kind) => isLinkable(kind) && kind.fields.has(root)));
}

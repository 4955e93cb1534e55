/** Access over references: which kinds and units a path may lead to. Every step of a path is checked here. Pure. */
import type { Operation } from '../model/built-in-traits.js';
import { type Field, isLinkable, type KindDef, type Model } from '../model/model.js';
import { type Reach, type Reached, type RelatedReach, unknownName } from '../model/predicate/path.js';
import { didYouMean } from '../shared/texts.js';
import { refusal } from '../shared/errors.js';
import { agentOf, type Caller } from '../tenancy/caller.js';
import {
  accessSettingOf,
  authorizeKind,
  checkHasTable,
  grantOf,
  grantOver,
  isUnknownToAgent,
  isUnreadByKey,
  openRelated,
  suggestableLinkTypes,
  usersFor,
} from './access.js';
import type { Grant } from './level.js';
import { mayReadField, namedFields, readableFields } from './masks.js';
import { kindBudget, linkTypesOf } from './rule-names.js';

/** References may be followed to kinds that the caller may read, and there to the units that it may read. */
export function referenceAccess(caller: Caller, model: Model): Reach {
  const known = new Map<string, Reached>();
  return {
    follow(field: Field, at: number, from: KindDef): Reached {
      const id = field.reference?.kind ?? '';
      const target = model.kinds.get(id);
      if (target && isUnknownToAgent(target, caller, model)) {
        throw unknownName(field.id, `'${field.id}' leads to no kind that this key may read`, at);
      }
      const contents = target?.traits.contents === true;
      const way = contents ? `${id} ${from.id}.${field.id}` : id;
      const before = known.get(way);
      if (before) return before;
      const { kind, grant } = authorizeKind(model, id, 'read', caller);
      checkHasTable(kind);
      const { predicate } = grantOver(kind, grant, { kind: from, reference: field }, caller, model);
      const reached = { kind, visible: namedFields(kind, caller, model), access: predicate };
      known.set(way, reached);
      return reached;
    },
    // Without a token, and to agents, a missing field and a closed one are reported alike, as kinds are.
    checkField(kind: KindDef, name: string): void {
      const field = kind.fields.get(name);
      if (!field || field.def.hidden || caller.type === 'anonymous' || mayReadField(field, caller)) return;
      if (agentOf(caller)) return;
      throw refusal('access.denied', `You may not read '${field.id}' of '${kind.id}'`);
    },
    related: relatedAccess(caller, model),
    trigrams(at: number): string {
      if (model.trigrams !== undefined) return model.trigrams;
      throw refusal(
        'filter.no_trigrams',
        `The database has no extension pg_trgm, which compares texts, at character ${at}`,
      );
    },
  };
}

/** The operations of which any one gives access to the struct of a kind. */
export const STRUCT_RIGHTS: readonly Operation[] = ['read', 'create', 'signup'];

/** Whether a caller may see the definition of a kind: if it may read or create units, or sign up. */
export function mayDescribe(kind: KindDef, caller: Caller, model: Model): boolean {
  return STRUCT_RIGHTS.some((operation) => grantOf(kind, operation, caller, model) !== undefined);
}

/** How an error text names the target kind of a reference: ` of 'city'`, or an empty text. */
export type TargetKindText = (kindId: string) => string;

/** Names only kinds whose definition the caller may see. */
export function targetKindTextFor(caller: Caller, model: Model): TargetKindText {
  return (kindId) => {
    const kind = model.kinds.get(kindId);
    if (kind && !agentOf(caller) && isUnreadByKey(kind, caller, model))
      return ` of '${kindId}' that this API key may read`;
    return kind && mayDescribe(kind, caller, model) ? ` of '${kindId}'` : '';
  };
}

/**
 * The units that a caller may refer to: those that it may read. Of a member kind with the default `read`, all members:
 * otherwise no member could, for example, address a message to another, and their ids cannot be guessed.
 */
export function referenceGrant(kind: KindDef, caller: Caller, model: Model): Grant | undefined {
  const grant = grantOf(kind, 'read', caller, model);
  const setting = accessSettingOf(kind, 'read', model);
  return grant && 'level' in setting && setting.level === 'self' ? { predicate: undefined } : grant;
}

/** Kinds that the caller may read, and there the units that it may read. */
function relatedAccess(caller: Caller, model: Model): RelatedReach {
  const known = new Map<string, Reached>();
  let linkable: ReturnType<RelatedReach['linkable']> | undefined;
  return {
    open(id: string, at: number): Reached {
      const before = known.get(id);
      if (before) return before;
      const { kind, grant } = openRelated(id, at, caller, model);
      const reached = { kind, visible: readableFields(kind, caller, model), access: grant.predicate };
      known.set(id, reached);
      return reached;
    },
    linkable: () => (linkable ??= linkableKinds(caller, model)),
    openLinkType: linkTypesOf(
      model,
      (values) => readableFields(values, caller, model),
      (id) => didYouMean(id, suggestableLinkTypes(model, caller)),
    ),
    users: usersFor(caller, model),
    spend: kindBudget(),
  };
}

function linkableKinds(caller: Caller, model: Model): ReturnType<RelatedReach['linkable']> {
  const all = [...model.kinds.values()].filter(isLinkable);
  const kinds = all.flatMap((kind): Reached[] => {
    const grant = kind.active ? grantOf(kind, 'read', caller, model) : undefined;
    return grant ? [{ kind, visible: readableFields(kind, caller, model), access: grant.predicate }] : [];
  });
  return { kinds, complete: kinds.length === all.length };
}

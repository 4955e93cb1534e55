/** The input of a document, and what of it the caller may see. Pure. */
import { grantOf, isAllowedForSomeUnit } from '../../access/access.js';
import { mayBeParent } from '../../access/link-access.js';
import { isLinkable, isMemberKind, type KindDef, type LinkTypeDef, type Model } from '../../model/model.js';
import { LINK_KIND, type Operation as Right } from '../../model/built-in-traits.js';
import { knowsWholeProject, type Caller } from '../../tenancy/caller.js';
import { keyParameters } from '../../unit/store/unit-ids.js';
import type { UnitOperation } from '../../unit/store/unit-store.js';
import type { DocumentedFunction } from './documented-functions.js';
import type { Application, DocumentedRoute } from './application.js';
import type { KindNames } from './names.js';
import type { SharedValues } from './schema/value.schema.js';
import type { KindContext } from './schema/unit.schema.js';

/** The input of a document. */
export interface DocumentInput {
  readonly application: Application;
  readonly model: Model;
  readonly caller: Caller;
  /** True for the generic document: it has paths for any kind, which may be open to anyone. */
  readonly generic: boolean;
  /** The kinds whose operations are described; all if undefined. */
  readonly chosen?: ReadonlySet<string> | undefined;
  /** The id of the project; empty for the generic document. */
  readonly project: string;
  /** The functions of a kind that the caller may call; for administrators also its endpoints. */
  readonly functions: (kind: KindDef) => readonly DocumentedFunction[];
  /** The required values of a new unit that a hook sets. */
  readonly fills: (kind: KindDef) => ReadonlySet<string>;
  /** Whether the source of a remote kind lacks an operation. */
  readonly lacks: (kind: KindDef, operation: UnitOperation) => boolean;
}

/** The input with the visible kinds and their names. */
export interface DocumentView extends DocumentInput {
  /** The visible kinds, oldest first. */
  readonly kinds: readonly KindDef[];
  /** The visible routes of each kind. */
  readonly routes: ReadonlyMap<KindDef, ReadonlySet<DocumentedRoute>>;
  readonly values: SharedValues;
  /** The link types with parameters that the caller may read or write; none if it may not read all link types. */
  readonly linkTypes: readonly LinkTypeDef[];
  readonly names: KindNames;
}

/** Whether the caller has any of the rights on units of a kind. */
function hasRight({ model, caller }: DocumentInput, kind: KindDef, rights: readonly Right[] = []): boolean {
  return rights.some((right) => isAllowedForSomeUnit(kind, right, caller, model));
}

/** Whether the caller has any of the rights that a route needs on a kind. */
export function mayCall({ rights, onLinks }: DocumentedRoute, kind: KindDef, input: DocumentInput): boolean {
  if (!rights || hasRight(input, kind, rights)) return true;
  return onLinks !== undefined && mayBeParent(kind, onLinks, input.caller, input.model);
}

/** The link types if the caller may read all of them, otherwise undefined. */
export function readableLinkTypes({ model, caller }: DocumentInput): readonly LinkTypeDef[] | undefined {
  const kind = model.kinds.get(LINK_KIND);
  const grant = kind && grantOf(kind, 'read', caller, model);
  return grant && grant.predicate === undefined ? [...model.linkTypes.values()] : undefined;
}

/** The caller's rights, for the schemas of kinds. */
export function kindContext(view: DocumentView): KindContext {
  return {
    model: view.model,
    caller: view.caller,
    mayCreate: (id) => mayCreate(view, id),
    mayRead: (id) => hasRecord(view, id),
    describes: (id) => !view.chosen || view.chosen.has(id),
    fills: view.fills,
    generic: view.generic,
    names: view.names,
    values: view.values,
  };
}

/** Whether the caller can create units of the kind. */
export function mayCreate(input: DocumentInput, kindId: string): boolean {
  const kind = input.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(input, kind, ['create']);
}

/** Whether the caller can read units of the kind, so that they have a schema. */
export function hasRecord(input: DocumentInput, kindId: string): boolean {
  const kind = input.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(input, kind, ['read']);
}

export function isShown(route: DocumentedRoute, kind: KindDef | undefined, input: DocumentInput): boolean {
  if (route.administrators && !knowsWholeProject(input.caller)) return false;
  if (kind && route.sourceOperation && input.lacks(kind, route.sourceOperation)) return false;
  if (route.reads && !hasRecord(input, route.reads)) return false;
  const subject = kind ?? input.model.kinds.get(route.kind ?? '');
  if (!subject || !route.rights) return true;
  return (subject.active || route.inactive === true) && mayCall(route, subject, input);
}

const APPLIES_TO: Readonly<
  Record<Exclude<DocumentedRoute['of'], undefined>, (kind: KindDef, input: DocumentInput) => boolean>
> = {
  all: () => true,
  keyed: (kind, { caller, model }) => kind.storage.hasTable && keyParameters(kind, caller, model).length > 0,
  linkable: isLinkable,
  bulk: ({ storage }) => storage.bulk,
  imported: ({ storage, traits }) => storage.bulk && !traits.contents,
  members: isMemberKind,
  contents: ({ traits }) => traits.contents === true,
  recorded: ({ changes }) => changes === 'history',
  none: () => false,
};

/** Whether a route belongs to a kind, and is visible. */
export function isShownOf(route: DocumentedRoute, kind: KindDef, input: DocumentInput): boolean {
  return route.of !== undefined && APPLIES_TO[route.of](kind, input) && isShown(route, kind, input);
}

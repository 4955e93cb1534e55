/** Of whom and of what a document is, and what of that is shown. Pure. */
import { isAllowedForSomeUnit } from '../../access/access.js';
import { isLinkable, isMemberKind, type KindDef, type Model } from '../../model/model.js';
import type { Operation as Right } from '../../model/built-in-traits.js';
import { isAdministrator, type Caller } from '../../tenancy/caller.js';
import type { UnitOperation } from '../../unit/store/unit-store.js';
import type { DocumentedFunction } from './documented-functions.js';
import type { Application } from './application.js';
import type { KindNames } from './names.js';
import type { Route } from './route.js';
import type { SharedValues } from './shared.values.js';
import type { KindContext } from './unit.schema.js';

/** What a document is asked for. */
export interface DocumentInput {
  readonly application: Application;
  readonly model: Model;
  readonly caller: Caller;
  /** Of no project: paths of any kind stand beside those of the built-in ones, and any of them may be open. */
  readonly generic: boolean;
  /** The kinds whose own operations are described; all where it is undefined. */
  readonly chosen?: ReadonlySet<string> | undefined;
  /** The functions of a kind that the caller may call. */
  readonly functions: (kind: KindDef) => readonly DocumentedFunction[];
  /** Whether a hook may make what a new unit of a kind must have. */
  readonly mayMake: (kind: KindDef) => boolean;
  /** Whether the source of a remote kind can not do something. */
  readonly lacks: (kind: KindDef, operation: UnitOperation) => boolean;
}

/** The same with the kinds that are shown, and their names. */
export interface DocumentView extends DocumentInput {
  /** Those of which anything is shown, in the order in which they were made. */
  readonly kinds: readonly KindDef[];
  /** The routes that are shown of each. */
  readonly routes: ReadonlyMap<KindDef, ReadonlySet<Route>>;
  readonly values: SharedValues;
  readonly names: KindNames;
}

/** Whether the caller has any of the rights to units of a kind. */
export function hasRight({ model, caller }: DocumentInput, kind: KindDef, rights: readonly Right[] = []): boolean {
  return rights.some((right) => isAllowedForSomeUnit(kind, right, caller, model));
}

/** What the schemas of kinds ask of the caller. */
export function kindContext(view: DocumentView): KindContext {
  return {
    model: view.model,
    caller: view.caller,
    mayCreate: (id) => mayCreate(view, id),
    mayRead: (id) => hasRecord(view, id),
    mayMake: view.mayMake,
    names: view.names,
    values: view.values,
  };
}

/** Whether units of the kind can be created by the caller. */
export function mayCreate(seen: DocumentInput, kindId: string): boolean {
  const kind = seen.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(seen, kind, ['create']);
}

/** Whether the unit endpoints of a kind have a schema of what they answer. */
export function hasRecord(seen: DocumentInput, kindId: string): boolean {
  const kind = seen.model.kinds.get(kindId);
  return kind !== undefined && kind.active && hasRight(seen, kind, ['read']);
}

export function isShown(route: Route, kind: KindDef | undefined, seen: DocumentInput): boolean {
  if (route.administrators && !isAdministrator(seen.caller)) return false;
  if (kind && route.asks && seen.lacks(kind, route.asks)) return false;
  if (route.reads && !hasRecord(seen, route.reads)) return false;
  const subject = kind ?? seen.model.kinds.get(route.kind ?? '');
  if (!subject || !route.rights) return true;
  return (subject.active || route.inactive === true) && hasRight(seen, subject, route.rights);
}

const APPLIES_TO: Readonly<Record<Exclude<Route['of'], undefined>, (kind: KindDef) => boolean>> = {
  all: () => true,
  linkable: isLinkable,
  members: isMemberKind,
  none: () => false,
};

/** Whether a route is one of a kind, and shown of it. */
export function isShownOf(route: Route, kind: KindDef, seen: DocumentInput): boolean {
  return route.of !== undefined && APPLIES_TO[route.of](kind) && isShown(route, kind, seen);
}

/** The context of a call: what functions, hooks and remote kinds work with. */
import type {
  KnownLinkType,
  LinkedUnit,
  LinkRecord,
  LinkTypeId,
  LinkValuesFor,
  AnyUnit,
  ExpressionsOf,
  GivenFor,
  KindId,
  SomeOf,
  UnitOf,
} from './kinds.js';
import type { Files } from './files.js';
import type { ListOptions, Page, Units } from './units.js';

/** The member who makes the request. */
export interface Member {
  readonly id: string;
  readonly kind_id: string;
  /**
   * Whether the member is an administrator (a unit of `kind_admin`), to whom no access rule applies. False where the
   * request has an API key with a scope, which has fewer rights.
   */
  readonly administrator: boolean;
  /**
   * The unit of the member, as the system reads it. It is read once in a call with all of its hooks, so that later
   * changes in it are not seen.
   */
  unit(): Promise<AnyUnit>;
}

/** Access to the data of the project, with the rights of the caller or of the system. */
export interface Data {
  /** Operations on the units of a kind. */
  readonly units: <K extends KindId>(
    kind: K,
  ) => Units<UnitOf<K & string>, GivenFor<K & string>, ExpressionsOf<K & string>>;
  /** The links between units. */
  readonly links: Links;
  /** The groups of kinds. */
  readonly groups: Groups;
  /** The contents of files. */
  readonly files: Files;
}

/** Links between units (docs/links.md). */
export interface Links {
  /**
   * Links a parent to a child. Does nothing if the link exists with these values.
   *
   * @param type the id of the link type, `link` by default
   * @param values values of the parameters of the link type
   * @throws 400, 403, 404, 409 if the link exists with other values
   */
  create<T extends LinkTypeId = 'link'>(
    parent: UnitRef,
    child: UnitRef,
    type?: T,
    values?: LinkValuesFor<T>,
  ): Promise<void>;
  /**
   * Links a unit with up to 1000 others, all or none, and returns the links in their order.
   *
   * @param direction `child`: the others are children of the unit; `parent`: its parents
   * @throws 400 with all errors of the links, 403, 404, 409 if a link exists with other values
   */
  createAll<T extends LinkTypeId = 'link'>(
    unit: UnitRef,
    direction: 'child' | 'parent',
    links: readonly LinkTo<T>[],
    options?: LinkAllOptions<T>,
  ): Promise<readonly LinkRecord<T>[]>;
  /** Changes values of a link. @throws 400, 403, 404 if the link does not exist */
  update<T extends LinkTypeId>(
    parent: UnitRef,
    child: UnitRef,
    type: T,
    values: SomeOf<LinkValuesFor<T>>,
  ): Promise<void>;
  /** Deletes a link. @throws 403, 404 if the link does not exist */
  remove(parent: UnitRef, child: UnitRef, type?: LinkTypeId): Promise<void>;
  /** Lists the children or the parents of a unit, nearest first. @throws 400, 403, 404 */
  list<const T extends LinkTypeId = KnownLinkType>(
    unit: UnitRef,
    direction: 'child' | 'parent',
    options?: WalkOptions<T>,
  ): Promise<WalkPage<LinkedUnit<T>>>;
  /**
   * Returns the units on a shortest path over links: the last is `to`, and there are none from a unit to itself. Null if
   * there is no path.
   *
   * @throws 400, 403, 404 if one of the units does not exist or the caller may not read it
   */
  path<const T extends LinkTypeId = KnownLinkType>(
    from: UnitRef,
    to: UnitRef,
    options?: PathOptions<T>,
  ): Promise<readonly LinkedUnit<T>[] | null>;
}

/** The other unit of a link, and values of the parameters of the link type. */
export interface LinkTo<T extends LinkTypeId = LinkTypeId> {
  readonly unit: UnitRef;
  readonly values?: SomeOf<LinkValuesFor<T>>;
}

/** Options of `links.createAll`. */
export interface LinkAllOptions<T extends LinkTypeId = LinkTypeId> {
  /** The id of the link type, `link` by default. */
  readonly type?: T;
  /** Deletes the unit's other links of this type in this direction, and changes values of links that exist. */
  readonly replace?: boolean;
}

/** Groups of kinds. To read which kinds a group has: `units('group').get(id)`, field `kind_list`. */
export interface Groups {
  /** Lists the units of all kinds of a group that the caller may read. @throws 400, 403, 404 */
  units(group: string, options?: ListOptions): Promise<Page<AnyUnit>>;
}

/** Options of a list of linked units: the query parameters of the same names. */
export interface WalkOptions<T extends LinkTypeId = LinkTypeId> extends Omit<ListOptions, 'search'> {
  /** Follow only these link types. All if omitted. */
  readonly link_id?: T | readonly T[];
  /** Return only units of these kinds. All if omitted. */
  readonly kind_id?: string | readonly string[];
  /** 0, the default, for direct neighbours; n for up to n + 1 steps. At most 10 (`walkDepth` in docs/limits.md). */
  readonly depth?: number;
  /** Pages through many units: empty for the first page, then `next` of the page before. */
  readonly cursor?: string;
}

/** A page of linked units. */
export interface WalkPage<U> extends Page<U> {
  /** With a cursor, that of the next page; null if this is the last one. */
  readonly next?: string | null;
}

/** Options of a path: the query parameters of the same names. */
export interface PathOptions<T extends LinkTypeId = LinkTypeId> extends Pick<
  ListOptions,
  'include' | 'exclude' | 'nest'
> {
  /** `child`, the default, follows links from parents to children, `parent` the other way. */
  readonly direction?: 'child' | 'parent';
  /** Follow only these link types. All if omitted. */
  readonly link_id?: T | readonly T[];
  /** The most units between the first and the last: 10, the default, or fewer. */
  readonly depth?: number;
}

/** A reference to a unit: a unit that was read, or just its kind and id. */
export interface UnitRef {
  readonly kind_id: string;
  readonly id: string;
}

/** A mail to send. */
export interface Letter {
  /** A single e-mail address, without a name. */
  readonly to: string;
  /** Where answers go: a single e-mail address, without a name. To the sender if omitted. */
  readonly reply_to?: string;
  readonly subject: string;
  readonly text: string;
  /** The HTML body. Escape all values in it that others have written. Generated from `text` if omitted. */
  readonly html?: string;
}

/** Writes to the log of the service. Each line also has the project and the module. */
export interface Log {
  debug(text: string, fields?: object): void;
  info(text: string, fields?: object): void;
  warn(text: string, fields?: object): void;
  error(text: string, fields?: object): void;
}

/**
 * The context of a call. `units`, `links` and `groups` act with the rights of the caller, except that hidden parameters
 * can be read. `system` bypasses access.
 *
 * A call is one transaction: it commits after the function has returned, and rolls back if the function throws. The
 * context cannot be used after that: every operation throws.
 */
export interface Context extends Data {
  readonly project: { readonly id: string; readonly label: string };
  /** The member who makes the request; null if the request has no token. */
  readonly member: Member | null;
  /** The same data without access checks. Use it only for operations that the caller may not perform. */
  readonly system: Data;
  /** Sends a mail after the transaction has committed. */
  readonly mail: (letter: Letter) => void;
  readonly log: Log;
  /** Aborts when the time limit is exceeded. Pass it to `fetch` and to other operations that take a signal. */
  readonly signal: AbortSignal;
}

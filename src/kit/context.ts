/** What functions, hooks and remote kinds are given to work with. */
import type { AnyUnit, GivenFor, KindId, ListOptions, Page, UnitOf, Units } from './units.js';

/** Who asks. The unit itself: `units(member.kind_id).get(member.id)`. */
export interface Member {
  readonly id: string;
  readonly kind_id: string;
  /** A unit of `kind_admin`, who passes every rule. */
  readonly administrator: boolean;
}

/** The data of the project, as somebody: the caller, or the system. */
export interface Data {
  /** The units of a kind. */
  readonly units: <K extends KindId>(kind: K) => Units<UnitOf<K & string>, GivenFor<K & string>>;
  readonly links: Links;
  readonly groups: Groups;
}

/** Links between units (docs/model.md). */
export interface Links {
  /** Links a parent to a child under a link type; one that is there stays. @throws 403, 404 */
  create(parent: UnitRef, child: UnitRef, type?: string): Promise<void>;
  /** @throws 403, 404 where there is no such link */
  remove(parent: UnitRef, child: UnitRef, type?: string): Promise<void>;
  /** The units that are linked to one: its children, or its parents; nearest first. @throws 400, 403, 404 */
  list(unit: UnitRef, direction: 'child' | 'parent', options?: WalkOptions): Promise<Page<AnyUnit>>;
}

/** Groups of kinds. Which kinds a group has: `units('group').get(id)`, `kind_list`. */
export interface Groups {
  /** The units of all kinds of a group that may be read, as one list. @throws 400, 403, 404 */
  units(group: string, options?: ListOptions): Promise<Page<AnyUnit>>;
}

/** What a list of linked units takes, as the query parameters of the same names do. */
export interface WalkOptions extends ListOptions {
  readonly link_id?: string | readonly string[];
  readonly kind_id?: string | readonly string[];
  /** 0 for direct neighbours, n for up to n+1 steps. */
  readonly depth?: number;
}

/** A unit: one that was read, or its kind and id. */
export interface UnitRef {
  readonly kind_id: string;
  readonly id: string;
}

export interface Letter {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Markup of your own; values of others must be escaped. Made of the text where it is left out. */
  readonly html?: string;
}

/** The service's log; each line also has the project and the module. */
export interface Log {
  debug(text: string, fields?: object): void;
  info(text: string, fields?: object): void;
  warn(text: string, fields?: object): void;
  error(text: string, fields?: object): void;
}

/**
 * One call. `units` and `links` act as whoever asks, whose rights and masks apply, only that hidden parameters are
 * seen; `system` acts as the system, which may everything. All of it is one transaction: it commits when the
 * function has returned, and rolls back when it throws. After that the handles are dead, and say so.
 */
export interface Context extends Data {
  readonly project: { readonly id: string; readonly label: string };
  /** Null where there is no token. */
  readonly member: Member | null;
  /** Acts as the system: for what the caller may not do, and only that. */
  readonly system: Data;
  /** Sends a mail once the transaction has committed. */
  readonly mail: (letter: Letter) => void;
  readonly log: Log;
  /** Aborts at the time limit; hand it to `fetch` and the like. */
  readonly signal: AbortSignal;
}

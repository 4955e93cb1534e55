/**
 * What is special about a built-in kind, as data: the engine and `access/` ask these, and know no kind by its name.
 * What is special about the units of a kind and needs code is a behaviour of `unit/`.
 */
import type { ErrorCode } from '../shared/errors.js';
import type { Level } from './parameter-type/parameter-settings.js';

/** What is done with the units of a kind; each has a level or rules in the kind's `access`. */
export const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function', 'signup'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The kinds that some part has to know by name. */
export const ADMIN_KIND = 'kind_admin';
export const CREDENTIAL_KIND = 'kind_system_user';
export const KIND_KIND = 'kind';
export const GROUP_KIND = 'group';
export const LINK_KIND = 'link';

/** The link type that every project has. */
export const LINK_TYPE = 'link';

export interface BuiltInTraits {
  /** The system's own: for everybody else the kind is not there. */
  readonly sealed?: boolean;
  /** Its units are the kinds of the project. */
  readonly holdsKinds?: boolean;
  /** Levels where the owner said nothing, in place of those of every built-in kind. */
  readonly levels?: Readonly<Partial<Record<Operation, Level>>>;
  /** Operations that are never nobody's: that would lock the project for good. */
  readonly neverNobody?: readonly Operation[];
  /** Operations that are nobody's, whatever the owner says. */
  readonly closed?: readonly Operation[];
  /** What an id that is taken is refused with. */
  readonly existsCode?: ErrorCode;
}

/** What a kind of a user's is. */
export const NO_TRAITS: BuiltInTraits = {};

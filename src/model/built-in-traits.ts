/**
 * How built-in kinds differ, as data: the engine and `access/` read these traits instead of comparing ids of kinds.
 * Differences that need code are behaviors of the kinds (`unit/draft/behavior.ts`).
 */
import type { ErrorCode } from '../shared/errors.js';
import type { Level } from './access-levels.js';
import type { Changes } from './changes.js';

/** Operations on the units of a kind. The kind's `access` may set a level or rules for each. */
export const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function', 'history', 'signup'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Operations on links. The `access` of a link type may set a level or rules for each. */
export const LINK_OPERATIONS = ['create', 'delete'] as const;
export type LinkOperation = (typeof LINK_OPERATIONS)[number];

/** Ids of the built-in kinds that code refers to. */
export const ADMIN_KIND = 'kind_admin';
export const CREDENTIAL_KIND = 'kind_system_user';
export const KIND_KIND = 'kind';
export const GROUP_KIND = 'group';
export const LINK_KIND = 'link';
export const API_KEY_KIND = 'api_key';
export const PASSKEY_KIND = 'passkey';
export const IDENTITY_PROVIDER_KIND = 'identity_provider';
export const IDENTITY_KIND = 'identity';
export const WEBHOOK_KIND = 'webhook';
export const FILE_KIND = 'file';

/** Kinds whose units members own: they go with their member, whose id is their field `member`. */
export const OWNED_KINDS = [API_KEY_KIND, PASSKEY_KIND, IDENTITY_KIND] as const;

/** The link type that every project has. */
export const LINK_TYPE = 'link';

export const GROUP_LINK = 'group';
export const PARAMETER_LINK = 'parameter';
/** The link types of the system: kinds are linked to groups, and parameters to kinds. `link/system-links.ts` describes each. */
export const SYSTEM_LINK_TYPES = [GROUP_LINK, PARAMETER_LINK] as const;

export interface BuiltInTraits {
  /** Projects change its definition as that of a kind of their own; only what it begins with stays. */
  readonly extensible?: true;
  /** Its units have contents, which are objects of a store. */
  readonly contents?: true;
  /** Whether a new project has it as a public kind. */
  readonly public?: true;
  /** Internal: only the system can use the kind, and lists of kinds do not show it. */
  readonly sealed?: boolean;
  /** Its units are the definitions of the project's kinds. */
  readonly holdsKinds?: boolean;
  /** Default levels that differ from those of the other built-in kinds; a closed project has `admin` for `member`. */
  readonly levels?: Readonly<Partial<Record<Operation, Level>>>;
  /** Default rules in place of a level, of which one must match. */
  readonly rules?: Readonly<Partial<Record<Operation, readonly string[]>>>;
  /** Operations whose level cannot be `nobody`, because that would lock the project permanently. */
  readonly neverNobody?: readonly Operation[];
  /** Operations whose level is always `nobody`. */
  readonly closed?: readonly Operation[];
  /** Whether no setting lets others than administrators do anything with its units. */
  readonly administratorsOnly?: true;
  /** Operations that no API key may do, whatever its scope. */
  readonly notByKeys?: readonly Operation[];
  /** Its units are written one by one, at their own address only (`access/written-alone.ts`). */
  readonly alone?: true;
  /** A field of the answer of a create that is stored nowhere and never answered again. */
  readonly secret?: string;
  /** What is recorded of its changes; nothing if left out. */
  readonly changes?: Changes;
  /** The error code for an id that exists already. */
  readonly existsCode?: ErrorCode;
}

/** The traits of users' kinds. */
export const NO_TRAITS: BuiltInTraits = {};

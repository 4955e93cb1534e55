/** Calls about access (docs/access.md), for administrators. All functions throw `ApiError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';

export const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function', 'history', 'signup'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Who may do something at most, from everybody to nobody. */
export type Audience = 'anyone' | 'member' | 'self' | 'admin' | 'nobody';

/** What somebody may do with one of a kind, a link type, a function, an endpoint or a field. */
export interface AccessEntry {
  readonly kind?: string;
  readonly link_type?: string;
  /** After its kind: `city.greet`. */
  readonly function?: string;
  /** The same of what other services call. */
  readonly endpoint?: string;
  readonly field?: string;
  readonly operation: string;
  /** The setting, stored or default; null if it is rules. */
  readonly level: Audience | null;
  readonly rules: readonly string[];
  readonly stored: boolean;
  readonly who: Audience;
  readonly by_rule: boolean;
  readonly stranger: boolean;
  /** Whether strangers may write so, without a rule. */
  readonly stranger_writes: boolean;
  /** Why it is wanted, if that was said. */
  readonly accepted: string | null;
}

export interface AccessReport {
  readonly access_default: 'open' | 'closed';
  /** The member kinds that anyone can sign up to. */
  readonly sign_up: readonly string[];
  readonly stranger_may_write: boolean;
  /** The most open first. */
  readonly access: readonly AccessEntry[];
}

export async function getAccessReport(signal?: AbortSignal): Promise<AccessReport> {
  const { content } = await session.call<AccessReport>({ path: ['kind', 'access'], signal });
  return content;
}

/** A level, or rules of which one has to match; null for the default. */
export type AccessSetting = string | readonly string[] | null;

interface PreviewQuery {
  readonly operation: string;
  /** A parameter whose access is asked for in place of that of the kind. */
  readonly parameter?: string | undefined;
  /** Undefined for what is stored. */
  readonly access: AccessSetting | undefined;
  /** Null for requests without a token. */
  readonly member: string | null;
  readonly limit: number;
  readonly include: readonly string[];
  readonly counted: boolean;
}

/** The units with which a member could do something. Rules are checked as when they are stored. */
export async function previewAccess(
  kind: string,
  { operation, parameter, access, member, limit, include, counted }: PreviewQuery,
  signal?: AbortSignal,
): Promise<Page<Unit>> {
  const { content } = await session.call<Page<Unit>>({
    method: 'POST',
    path: [kind, 'access', 'preview'],
    body: { operation, parameter, ...(access !== undefined && { access }), member },
    query: { limit: String(limit), include, count: counted ? 'exact' : 'none' },
    signal,
  });
  return content;
}

/** Whether somebody may do an operation, and why; null where it depends on another unit. */
export interface Decision {
  readonly allowed: boolean | null;
  readonly level: Audience | null;
  readonly stored: boolean;
  readonly rules: readonly { readonly rule: string; readonly holds: boolean | null }[];
  /** The reason, in words of the service. */
  readonly because: string;
}

export interface Explanation {
  readonly operations: Readonly<Record<string, Decision>>;
  /** By link type, of those with access of their own, for the unit as the parent. */
  readonly links?: Readonly<Record<string, Readonly<Record<string, Decision>>>>;
  readonly parameters: { readonly read: readonly string[]; readonly write: readonly string[] };
}

/** What a member may do with a unit, and why. @param member null for requests without a token */
export async function explainAccess(
  kind: string,
  id: string,
  member: string | null,
  signal?: AbortSignal,
): Promise<Explanation> {
  const { content } = await session.call<Explanation>({
    path: [kind, 'unit', id, 'access'],
    query: member === null ? {} : { member },
    signal,
  });
  return content;
}

/** Calls about access (docs/access.md), for administrators. All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';

export const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function', 'signup'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Who may do something at most, from everybody to nobody. */
export type Audience = 'anyone' | 'member' | 'self' | 'admin' | 'nobody';

/** What somebody may do with one of a kind, a link type, a function or a field. */
export interface AccessEntry {
  readonly kind?: string;
  readonly link_type?: string;
  /** After its kind: `city.greet`. */
  readonly function?: string;
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

/** Who may do something at most, as the report of access names it. Pure. */
import type { KindDef, Model } from '../../model/model.js';
import type { Operation } from '../../model/built-in-traits.js';
import { accessSettingOf, REQUIRE_READ } from '../access.js';
import type { EffectiveLevel } from '../level.js';

/** From nobody to everybody. `self`: each member, with its own unit. */
export const AUDIENCES = ['nobody', 'admin', 'self', 'member', 'anyone'] as const satisfies readonly EffectiveLevel[];
export type Audience = (typeof AUDIENCES)[number];

export interface Allowed {
  readonly audience: Audience;
  /** Whether rules limit the units, or the members. Administrators pass every rule. */
  readonly byRule: boolean;
}

export const NOBODY: Allowed = { audience: 'nobody', byRule: false };

/** What the setting of an operation allows, and the right to read, which some operations need too. */
export function allowedFor(kind: KindDef, operation: Operation, model: Model): Allowed {
  if (!kind.active) return NOBODY;
  const own = allowedBy(accessSettingOf(kind, operation, model), kind);
  if (operation === 'signup') return own.audience === 'anyone' ? own : NOBODY;
  return REQUIRE_READ.has(operation) ? both(own, allowedFor(kind, 'read', model)) : own;
}

type Setting = { readonly level: EffectiveLevel } | { readonly rules: readonly string[] };

export function allowedBy(setting: Setting, kind: KindDef): Allowed {
  if ('level' in setting) return { audience: setting.level, byRule: false };
  // Rules cannot be tested on the units of a remote source.
  if (!kind.storage.rules) return { audience: 'admin', byRule: false };
  return { audience: kind.public ? 'anyone' : 'member', byRule: true };
}

/** What both allow. */
export function both(a: Allowed, b: Allowed): Allowed {
  const audience = AUDIENCES[Math.min(AUDIENCES.indexOf(a.audience), AUDIENCES.indexOf(b.audience))] ?? 'nobody';
  return { audience, byRule: (a.byRule || b.byRule) && audience !== 'nobody' && audience !== 'admin' };
}

/** The one that allows more. */
export function wider(a: Allowed, b: Allowed): Allowed {
  const [first, second] = [a, b].map(({ audience }) => AUDIENCES.indexOf(audience)) as [number, number];
  if (first === second) return a.byRule ? b : a;
  return first > second ? a : b;
}

/** The custom functions of a project in the report of access. Pure. */
import type { KindDef, Model } from '../../model/model.js';
import type { Level } from '../../model/parameter-setting/access.setting.js';
import { allowedBy, allowedFor, both, NOBODY, type Allowed } from './audience.js';

/** A function as its module declares it. */
export interface DeclaredFunction {
  readonly kind: string;
  readonly name: string;
  /** Whether it is called on a unit. */
  readonly ofUnit: boolean;
  readonly methods: readonly string[];
  /** Undefined for the right `function` of the kind. */
  readonly access: Level | readonly string[] | undefined;
}

/** Who may call a function. */
export function allowedToCall({ ofUnit, access }: DeclaredFunction, kind: KindDef, model: Model): Allowed {
  if (!kind.active) return NOBODY;
  const own = access === undefined ? allowedFor(kind, 'function', model) : declaredBy(access, kind);
  // A rule needs a unit to test.
  if (!ofUnit) return own.byRule ? { audience: 'admin', byRule: false } : own;
  return both(own, allowedFor(kind, 'read', model));
}

function declaredBy(access: Level | readonly string[], kind: KindDef): Allowed {
  return allowedBy(typeof access === 'string' ? { level: access } : { rules: access }, kind);
}

/** Whether a call may write: by HTTP, GET is for reading. */
export function mayWrite({ methods }: DeclaredFunction): boolean {
  return methods.includes('POST');
}

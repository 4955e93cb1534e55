/** Who may do what in a project, for its owner to check before strangers can reach it. Pure. */
import { isLinkable, isMemberKind, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import { LINK_OPERATIONS, OPERATIONS, type LinkOperation, type Operation } from '../model/built-in-traits.js';
import { accessSettingOf, REQUIRE_READ, storedSetting, type AccessSetting } from './access.js';

/** Who may do something at most, from nobody to everybody. `self`: each member, with its own unit. */
const AUDIENCES = ['nobody', 'admin', 'self', 'member', 'anyone'] as const;
export type Audience = (typeof AUDIENCES)[number];

interface Allowed {
  readonly audience: Audience;
  /** Whether rules limit the units, or the members. Administrators pass every rule. */
  readonly byRule: boolean;
}

/** One operation on the units of a kind, or on the links of a type. */
export interface ReportedAccess extends Allowed {
  readonly on: 'units' | 'links';
  readonly id: string;
  readonly operation: Operation | LinkOperation;
  /** False for a default. */
  readonly stored: boolean;
  /** Whether people whom nobody has admitted may do it: those without a token, or those who sign up by themselves. */
  readonly stranger: boolean;
}

export interface AccessReport {
  /** The member kinds that anyone can sign up to. */
  readonly signUp: readonly string[];
  /** The worst first. */
  readonly entries: readonly ReportedAccess[];
}

/** Built-in kinds are reported where their owner has set something, the internal one never. */
export function accessReport(model: Model): AccessReport {
  const all = [...model.kinds.values()].filter(({ traits }) => !traits.sealed);
  const signUp = all.filter((kind) => isMemberKind(kind) && allowedFor(kind, 'signup', model).audience === 'anyone');
  const isStranger = ({ audience }: Allowed): boolean =>
    audience === 'anyone' || (audience === 'member' && signUp.length > 0);
  const ofKinds = all.flatMap((kind) => {
    const operations = OPERATIONS.filter((operation) => operation !== 'signup' || isMemberKind(kind));
    return operations.flatMap((operation): ReportedAccess[] => {
      const { stored } = accessSettingOf(kind, operation, model);
      if (kind.builtIn && storedSetting(kind.access, operation) === undefined) return [];
      const allowed = allowedFor(kind, operation, model);
      return [{ on: 'units', id: kind.id, operation, stored, ...allowed, stranger: isStranger(allowed) }];
    });
  });
  const ofLinkTypes = [...model.linkTypes.values()].flatMap((type) =>
    LINK_OPERATIONS.flatMap((operation): ReportedAccess[] => {
      const allowed = linksAllowedBy(type, operation, model);
      if (!allowed) return [];
      return [{ on: 'links', id: type.id, operation, stored: true, ...allowed, stranger: isStranger(allowed) }];
    }),
  );
  const entries = [...ofKinds, ...ofLinkTypes].sort((a, b) => severity(b) - severity(a));
  return { signUp: signUp.map(({ id }) => id), entries };
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'link']);

/** Whether strangers may write without a rule that decides what. */
export function isStrangersWrite({ operation, stranger, byRule }: ReportedAccess): boolean {
  return stranger && !byRule && WRITES.has(operation);
}

/** The names of the kinds and link types that strangers may write without a rule. */
export function strangersWrites({ entries }: AccessReport): string[] {
  return [...new Set(entries.filter(isStrangersWrite).map(nameOf))];
}

export function nameOf({ on, id }: ReportedAccess): string {
  return on === 'units' ? id : `links of ${id}`;
}

function severity(entry: ReportedAccess): number {
  const { audience, byRule, operation, stranger } = entry;
  const worst = (isStrangersWrite(entry) ? 1000 : 0) + (stranger ? 100 : 0);
  return worst + AUDIENCES.indexOf(audience) * 10 + (byRule ? 0 : 2) + (WRITES.has(operation) ? 1 : 0);
}

/** What the setting of an operation allows, and the right to read, which some operations need too. */
function allowedFor(kind: KindDef, operation: Operation, model: Model): Allowed {
  if (!kind.active) return NOBODY;
  const own = allowedBy(accessSettingOf(kind, operation, model), kind);
  if (operation === 'signup') return own.audience === 'anyone' ? own : NOBODY;
  return REQUIRE_READ.has(operation) ? both(own, allowedFor(kind, 'read', model)) : own;
}

const NOBODY: Allowed = { audience: 'nobody', byRule: false };

function allowedBy(setting: AccessSetting, kind: KindDef): Allowed {
  if ('level' in setting) return { audience: setting.level, byRule: false };
  // Rules can not be tested on the units of a remote source.
  if (!kind.storage.rules) return { audience: 'admin', byRule: false };
  return { audience: kind.public ? 'anyone' : 'member', byRule: true };
}

function both(a: Allowed, b: Allowed): Allowed {
  const audience = AUDIENCES[Math.min(AUDIENCES.indexOf(a.audience), AUDIENCES.indexOf(b.audience))] ?? 'nobody';
  return { audience, byRule: (a.byRule || b.byRule) && audience !== 'nobody' && audience !== 'admin' };
}

/** Undefined where the right `link` of the parent's kind decides. Both units of a link must be readable. */
function linksAllowedBy(type: LinkTypeDef, operation: LinkOperation, model: Model): Allowed | undefined {
  const setting = storedSetting(type.access, operation);
  if (setting === undefined) return undefined;
  const kinds = [...model.kinds.values()].filter(isLinkable);
  const readable = kinds.map((kind) => allowedFor(kind, 'read', model));
  const isPublic = kinds.some((kind) => kind.public);
  const own: Allowed =
    typeof setting === 'string'
      ? { audience: setting, byRule: false }
      : { audience: isPublic ? 'anyone' : 'member', byRule: true };
  const audiences = readable.map(({ audience }) => AUDIENCES.indexOf(audience));
  const widest = AUDIENCES[Math.max(0, ...audiences)] ?? 'nobody';
  const byRule = readable.filter(({ audience }) => audience === widest).every((each) => each.byRule);
  return both(own, { audience: widest, byRule });
}

/** Who may do what in a project, for its owner to check before strangers can reach it. Pure. */
import { isLinkable, isMemberKind, type LinkTypeDef, type Model } from '../../model/model.js';
import { LINK_OPERATIONS, OPERATIONS, type LinkOperation, type Operation } from '../../model/built-in-traits.js';
import { accessSettingOf, storedSetting } from '../access.js';
import { allowedFor, AUDIENCES, both, type Allowed } from './audience.js';
import { reportedFields } from './reported-fields.js';
import { allowedToCall, mayWrite, type DeclaredFunction } from './reported-functions.js';

export type { Audience } from './audience.js';

/** What somebody may do: with the units of a kind, the links of a type, a function, or a field. */
export interface ReportedAccess extends Allowed {
  readonly on: 'units' | 'links' | 'function' | 'field';
  /** Of a function or field after that of the kind: `city.greet`. */
  readonly id: string;
  readonly operation: Operation | LinkOperation | 'call' | 'write';
  /** False for a default. */
  readonly stored: boolean;
  /** Whether it writes, or may write, something that no rule limits. */
  readonly writes: boolean;
  /** Whether people whom nobody has admitted may do it: those without a token, or those who sign up by themselves. */
  readonly stranger: boolean;
}

export interface AccessReport {
  /** The member kinds that anyone can sign up to. */
  readonly signUp: readonly string[];
  /** The worst first. */
  readonly entries: readonly ReportedAccess[];
}

/**
 * Built-in kinds are reported where their owner has set something, the internal one never.
 * @param functions those of the modules that serve the project
 */
export function accessReport(model: Model, functions: readonly DeclaredFunction[] = []): AccessReport {
  const all = [...model.kinds.values()].filter(({ traits }) => !traits.sealed);
  const signUp = all.filter((kind) => isMemberKind(kind) && allowedFor(kind, 'signup', model).audience === 'anyone');
  const isStranger = ({ audience }: Allowed): boolean =>
    audience === 'anyone' || (audience === 'member' && signUp.length > 0);
  const entryOf = (allowed: Allowed, entry: Omit<ReportedAccess, keyof Allowed | 'stranger'>): ReportedAccess => {
    const { audience, byRule } = allowed;
    return { ...entry, audience, byRule, stranger: isStranger(allowed), writes: entry.writes && !byRule };
  };
  const ofKinds = all.flatMap((kind) => {
    const operations = OPERATIONS.filter((operation) => operation !== 'signup' || isMemberKind(kind));
    return operations.flatMap((operation): ReportedAccess[] => {
      const { stored } = accessSettingOf(kind, operation, model);
      if (kind.builtIn && storedSetting(kind.access, operation) === undefined) return [];
      const entry = { on: 'units', id: kind.id, operation, stored, writes: WRITES.has(operation) } as const;
      return [entryOf(allowedFor(kind, operation, model), entry)];
    });
  });
  const ofLinkTypes = [...model.linkTypes.values()].flatMap((type) =>
    LINK_OPERATIONS.flatMap((operation): ReportedAccess[] => {
      const allowed = linksAllowedBy(type, operation, model);
      if (!allowed) return [];
      return [entryOf(allowed, { on: 'links', id: type.id, operation, stored: true, writes: true })];
    }),
  );
  const ofFunctions = functions.flatMap((each): ReportedAccess[] => {
    const kind = model.kinds.get(each.kind);
    if (!kind) return [];
    const called = { on: 'function', id: `${kind.id}.${each.name}`, operation: 'call' } as const;
    const entry = { ...called, stored: each.access !== undefined, writes: mayWrite(each) };
    return [entryOf(allowedToCall(each, kind, model), entry)];
  });
  const ofFields = reportedFields(
    all.filter(({ builtIn }) => !builtIn),
    model,
  ).map(({ kind, field, operation, stored, tested, ...allowed }): ReportedAccess => {
    const isOwn = allowed.audience === 'self' && signUp.includes(kind);
    const entry = entryOf(allowed, {
      on: 'field',
      id: `${kind.id}.${field.id}`,
      operation,
      stored,
      writes: operation === 'write' && tested,
    });
    return { ...entry, stranger: entry.stranger || isOwn };
  });
  const entries = [...ofKinds, ...ofLinkTypes, ...ofFunctions, ...ofFields].sort((a, b) => severity(b) - severity(a));
  return { signUp: signUp.map(({ id }) => id), entries };
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'link']);

/** Whether strangers may write without a rule that decides what. */
export function isStrangersWrite({ stranger, writes }: ReportedAccess): boolean {
  return stranger && writes;
}

/** The names of what strangers may write, or call, without a rule. */
export function strangersWrites({ entries }: AccessReport): string[] {
  return [...new Set(entries.filter(isStrangersWrite).map(reportedName))];
}

export function reportedName({ on, id }: ReportedAccess): string {
  switch (on) {
    case 'units':
      return id;
    case 'links':
      return `links of ${id}`;
    case 'function':
      return `function ${id}`;
    case 'field':
      return `field ${id}`;
  }
}

function severity(entry: ReportedAccess): number {
  const { audience, byRule, stranger, writes } = entry;
  const worst = (isStrangersWrite(entry) ? 1000 : 0) + (stranger ? 100 : 0);
  return worst + AUDIENCES.indexOf(audience) * 10 + (byRule ? 0 : 2) + (writes || WRITES.has(entry.operation) ? 1 : 0);
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

/** Who may do what in a project, for its owner to check before strangers can reach it. Pure. */
import { EXTENDED_FIELDS } from '../model/built-in/built-in.js';
import { LINK_OPERATIONS, type LinkOperation, type Operation, OPERATIONS } from '../model/built-in-traits.js';
import {
  isAlwaysTrue,
  needsMember,
  namesOfConditions,
  namesOfFieldRules,
  namesOfRules,
  type RuleNames,
} from '../model/check/stored-rules.js';
import { type Field, isLinkable, isMemberKind, type KindDef, type Model } from '../model/model.js';
import { type FieldAccess, isRules } from '../model/parameter-setting/access.setting.js';
import { type Level } from '../model/access-levels.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { type AccessSetting, accessSettingOf, REQUIRE_READ, storedSetting } from './access.js';
import type { EffectiveLevel } from './level.js';

/** What somebody may do: with the units of a kind, the links of a type, a function, an endpoint, or a field. */
export interface ReportedAccess extends Allowed {
  readonly on: 'units' | 'links' | 'function' | 'endpoint' | 'field';
  /** Of a function, endpoint or field after that of the kind: `city.greet`. */
  readonly id: string;
  readonly operation: Operation | LinkOperation | 'call' | 'write';
  /** The setting, stored or default: a level, or null and the rules of which one has to match. */
  readonly level: EffectiveLevel | null;
  readonly rules: readonly string[];
  /** False for a default. */
  readonly stored: boolean;
  /** Whether it writes, or may write, something that no rule limits. */
  readonly writes: boolean;
  /** Whether people whom nobody has admitted may do it: those without a token, or those who sign up by themselves. */
  readonly stranger: boolean;
  /** Why its owner, or that of its module, wants it so; undefined if that was not said. */
  readonly accepted?: string | undefined;
}

export interface AccessReport {
  /** The member kinds that anyone can sign up to. */
  readonly signUp: readonly string[];
  /** The worst first. */
  readonly entries: readonly ReportedAccess[];
}

interface ReportOptions {
  /** Whether the defaults of built-in kinds are reported too, and not only what their owner has set. */
  readonly builtIn?: boolean;
}

/**
 * Everything but the internal kind, in pieces.
 * @param called what the modules that serve the project have
 */
export function* accessReport(
  model: Model,
  { functions = [], endpoints = [] }: CalledCode = {},
  { builtIn = false }: ReportOptions = {},
): WorkInPieces<AccessReport> {
  const all = [...model.kinds.values()].filter(({ traits }) => !traits.sealed);
  const { signUp, entryOf, ofUnits: entryOfUnits } = reporterOf(model);
  const ofKinds: ReportedAccess[] = [];
  for (const kind of all) {
    for (const operation of OPERATIONS) {
      if (operation === 'signup' && !isMemberKind(kind)) continue;
      // There is nothing to read.
      if (operation === 'history' && kind.changes === 'none' && !storedSetting(kind.access, operation)) continue;
      if (!builtIn && isBuiltIn(kind) && storedSetting(kind.access, operation) === undefined) continue;
      ofKinds.push(entryOfUnits(kind, operation));
    }
    yield;
  }
  const linked = linkedUnits(model);
  const ofLinkTypes = [...model.linkTypes.values()].flatMap((type) =>
    LINK_OPERATIONS.flatMap((operation): ReportedAccess[] => {
      // Otherwise the right `link` of the parent's kind decides.
      const setting = storedSetting(type.access, operation);
      if (setting === undefined) return [];
      const entry = { on: 'links', id: type.id, operation, stored: true, writes: true } as const;
      return [entryOf(linksAllowedBy(setting, linked), { ...entry, ...shownSetting(setting) })];
    }),
  );
  const ofFunctions = functions.flatMap((each): ReportedAccess[] => {
    const kind = model.kinds.get(each.kind);
    if (!kind) return [];
    const called = { on: 'function', id: `${kind.id}.${each.name}`, operation: 'call' } as const;
    const entry = { ...called, stored: each.access !== undefined, writes: mayWrite(each) };
    const setting = shownSetting(each.access ?? accessSettingOf(kind, 'function', model));
    // A module that sets the access itself is not what the owner of the kind has accepted.
    const accepted = each.access === undefined ? kind.accepted.function : undefined;
    return [entryOf(allowedToCall(each, kind, model), { ...entry, ...setting, accepted })];
  });
  const ofEndpoints = endpoints.flatMap((each): ReportedAccess[] => {
    const kind = model.kinds.get(each.kind);
    if (!kind) return [];
    const entry = { on: 'endpoint', id: `${kind.id}.${each.name}`, operation: 'call', stored: true } as const;
    const allowed = kind.active ? ANYONE : NOBODY;
    const { accepted } = each;
    return [entryOf(allowed, { ...entry, writes: mayWrite(each), ...shownSetting('anyone'), accepted })];
  });
  const own = all.filter((kind) => !kind.builtIn);
  const served = functions.filter(({ kind }) => model.kinds.has(kind));
  const fields = yield* reportedFields(own, model, yield* fieldsOfMembersInRules(model, served));
  const ofFields = fields.map(({ kind, field, operation, stored, tested, ...allowed }): ReportedAccess => {
    const isOwn = allowed.audience === 'self' && signUp.includes(kind);
    const entry = entryOf(allowed, {
      on: 'field',
      id: `${kind.id}.${field.id}`,
      operation,
      stored,
      // A field without a setting has no restriction beyond that of its kind.
      ...shownSetting((operation === 'read' ? field.def.readAccess : field.def.writeAccess) ?? 'anyone'),
      writes: operation === 'write' && tested,
    });
    return { ...entry, stranger: entry.stranger || isOwn };
  });
  const entries = [...ofKinds, ...ofLinkTypes, ...ofFunctions, ...ofEndpoints, ...ofFields].sort(
    (a, b) => severity(b) - severity(a),
  );
  return { signUp: signUp.map(({ id }) => id), entries };
}

function isBuiltIn({ builtIn, traits }: KindDef): boolean {
  return builtIn || traits.extensible === true;
}

type Entry = Omit<ReportedAccess, keyof Allowed | 'stranger'>;

interface Reporter {
  /** The member kinds that anyone can sign up to. */
  readonly signUp: readonly KindDef[];
  readonly entryOf: (allowed: Allowed, entry: Entry) => ReportedAccess;
  readonly ofUnits: (kind: KindDef, operation: Operation) => ReportedAccess;
}

/** Makes the entries of a report. */
export function reporterOf(model: Model): Reporter {
  const members = [...model.kinds.values()].filter((kind) => isMemberKind(kind) && !kind.traits.sealed);
  const signUp = members.filter((kind) => allowedFor(kind, 'signup', model).audience === 'anyone');
  const entryOf = ({ audience, byRule }: Allowed, entry: Entry): ReportedAccess => {
    const stranger = audience === 'anyone' || (audience === 'member' && signUp.length > 0);
    return { ...entry, audience, byRule, stranger, writes: entry.writes && !byRule };
  };
  const ofUnits = (kind: KindDef, operation: Operation): ReportedAccess => {
    const setting = accessSettingOf(kind, operation, model);
    const entry = { on: 'units', id: kind.id, operation, stored: setting.stored } as const;
    return entryOf(allowedFor(kind, operation, model), {
      ...entry,
      ...shownSetting(setting),
      writes: WRITES.has(operation),
      accepted: kind.accepted[operation],
    });
  };
  return { signUp, entryOf, ofUnits };
}

export const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'link']);

/** Whether strangers may write without a rule that decides what. */
export function isStrangersWrite({ stranger, writes }: ReportedAccess): boolean {
  return stranger && writes;
}

/** The names of what strangers may write, or call, without a rule, and without its owner having accepted that. */
export function strangersWrites({ entries }: AccessReport): string[] {
  const open = entries.filter((entry) => isStrangersWrite(entry) && entry.accepted === undefined);
  return [...new Set(open.map(reportedName))];
}

export function reportedName({ on, id }: ReportedAccess): string {
  switch (on) {
    case 'units':
      return id;
    case 'links':
      return `links of ${id}`;
    case 'function':
      return `function ${id}`;
    case 'endpoint':
      return `endpoint ${id}`;
    case 'field':
      return `field ${id}`;
  }
}

function severity(entry: ReportedAccess): number {
  const { audience, byRule, stranger, writes } = entry;
  const worst = (isStrangersWrite(entry) ? 1000 : 0) + (stranger ? 100 : 0);
  return worst + AUDIENCES.indexOf(audience) * 10 + (byRule ? 0 : 2) + (writes || WRITES.has(entry.operation) ? 1 : 0);
}

function shownSetting(
  setting: AccessSetting | EffectiveLevel | readonly string[],
): Pick<ReportedAccess, 'level' | 'rules'> {
  if (typeof setting === 'string') return { level: setting, rules: [] };
  if ('level' in setting) return { level: setting.level, rules: [] };
  return { level: null, rules: 'rules' in setting ? setting.rules : setting };
}

/** The units that links can lead from and to. */
interface LinkedUnits {
  /** Whether some are of public kinds. */
  readonly isPublic: boolean;
  /** Who may read some of them. */
  readonly read: Allowed;
}

function linkedUnits(model: Model): LinkedUnits {
  const isOwn = (kind: KindDef) => !isBuiltIn(kind) || storedSetting(kind.access, 'read') !== undefined;
  const kinds = [...model.kinds.values()].filter((kind) => isLinkable(kind) && isOwn(kind));
  const readable = kinds.map((kind) => allowedFor(kind, 'read', model));
  const audiences = readable.map(({ audience }) => AUDIENCES.indexOf(audience));
  const audience = AUDIENCES[Math.max(0, ...audiences)] ?? 'nobody';
  const byRule = readable.filter((each) => each.audience === audience).every((each) => each.byRule);
  return { isPublic: kinds.some((kind) => kind.public), read: { audience, byRule } };
}

/** Both units of a link must be readable. */
function linksAllowedBy(setting: Level | readonly string[], { isPublic, read }: LinkedUnits): Allowed {
  const own: Allowed =
    typeof setting === 'string' ? { audience: setting, byRule: false } : allowedByRules(setting, isPublic);
  return both(own, read);
}

/**
 * The fields in the report: those with their own `read_access` or `write_access`, and those of members that rules test,
 * which members may often set themselves.
 */
interface FieldReport extends Allowed {
  readonly kind: KindDef;
  readonly field: Field;
  readonly operation: 'read' | 'write';
  /** Whether the field has the setting itself. */
  readonly stored: boolean;
  /** Whether a rule tests the field as one of the member. */
  readonly tested: boolean;
}

/** In pieces: each of thousands of kinds may have hundreds of fields. */
function* reportedFields(
  kinds: readonly KindDef[],
  model: Model,
  tested: ReadonlySet<string>,
): WorkInPieces<FieldReport[]> {
  const found: FieldReport[] = [];
  for (const kind of kinds) {
    yield;
    const isTested = ({ id, system }: Field) => isMemberKind(kind) && tested.has(id) && !system;
    const fields = [...kind.fields.values()].filter((field) => {
      if (EXTENDED_FIELDS.includes(field)) return false;
      return field.def.readAccess !== undefined || field.def.writeAccess !== undefined || isTested(field);
    });
    if (fields.length === 0) continue;
    const reads = allowedFor(kind, 'read', model);
    const writes = allowedToWrite(kind, model);
    for (const field of fields) {
      const { readAccess, writeAccess } = field.def;
      const common = { kind, field, tested: isTested(field) };
      const read = both(reads, allowedByField(readAccess, kind));
      const write = both(writes, allowedByField(writeAccess, kind));
      if (readAccess !== undefined) found.push({ ...common, operation: 'read', stored: true, ...read });
      if (writeAccess === undefined && !common.tested) continue;
      found.push({ ...common, operation: 'write', stored: writeAccess !== undefined, ...write });
    }
  }
  return found;
}

/** Who may write any unit of a kind, its own when signing up included. */
export function allowedToWrite(kind: KindDef, model: Model): Allowed {
  const operations = ['create', 'update', ...(isMemberKind(kind) ? (['signup'] as const) : [])] as const;
  return operations.map((operation) => allowedFor(kind, operation, model)).reduce(wider);
}

export function allowedByField(access: FieldAccess | undefined, kind: KindDef): Allowed {
  if (isRules(access)) return allowedBy({ rules: access }, kind);
  return { audience: access ?? 'anyone', byRule: false };
}

/** The parameters of the calling member that rules test, or follow to others. */
export function* fieldsOfMembersInRules(
  { kinds, linkTypes, parameters }: Model,
  functions: readonly DeclaredFunction[],
): WorkInPieces<Set<string>> {
  const found = new Set<string>();
  const add = (named: ReadonlyMap<string, readonly RuleNames[]>): void => {
    for (const { member } of [...named.values()].flat()) for (const [first] of member) if (first) found.add(first);
  };
  for (const { access } of [...kinds.values(), ...linkTypes.values()]) {
    add(namesOfRules(access));
    yield;
  }
  for (const def of parameters.values()) {
    add(namesOfFieldRules(def));
    add(namesOfConditions(def));
    yield;
  }
  for (const { access } of functions) {
    if (access !== undefined) add(namesOfRules({ call: access }));
    yield;
  }
  return found;
}

/** A function as its module declares it. */
interface DeclaredFunction {
  readonly kind: string;
  readonly name: string;
  /** Whether it is called on a unit. */
  readonly ofUnit: boolean;
  readonly methods: readonly string[];
  /** Undefined for the right `function` of the kind. */
  readonly access: Level | readonly string[] | undefined;
}

/** An endpoint as its module declares it: anyone may call it. */
interface DeclaredEndpoint {
  readonly kind: string;
  readonly name: string;
  readonly methods: readonly string[];
  /** Why that is wanted; undefined if the module does not say so. */
  readonly accepted?: string | undefined;
}

interface CalledCode {
  readonly functions?: readonly DeclaredFunction[];
  readonly endpoints?: readonly DeclaredEndpoint[];
}

/** Who may call a function. */
function allowedToCall({ ofUnit, access }: DeclaredFunction, kind: KindDef, model: Model): Allowed {
  if (!kind.active) return NOBODY;
  const setting = access === undefined ? accessSettingOf(kind, 'function', model) : declaredSetting(access);
  if (ofUnit) return both(allowedBy(setting, kind), allowedFor(kind, 'read', model));
  // A rule needs a unit to test.
  return 'rules' in setting ? { audience: 'admin', byRule: false } : allowedBy(setting, kind);
}

function declaredSetting(access: Level | readonly string[]): Setting {
  return typeof access === 'string' ? { level: access } : { rules: access };
}

/** Whether a call may write: by HTTP, GET is for reading. */
function mayWrite({ methods }: Pick<DeclaredFunction, 'methods'>): boolean {
  return methods.some((method) => method !== 'GET');
}

/** From nobody to everybody. `self`: each member, with its own unit. */
export const AUDIENCES = ['nobody', 'admin', 'self', 'member', 'anyone'] as const satisfies readonly EffectiveLevel[];
export type Audience = (typeof AUDIENCES)[number];

export interface Allowed {
  readonly audience: Audience;
  /** Whether rules limit the units, or the members. Administrators pass every rule. */
  readonly byRule: boolean;
}

const NOBODY: Allowed = { audience: 'nobody', byRule: false };
const ANYONE: Allowed = { audience: 'anyone', byRule: false };

/** What the setting of an operation allows, and the right to read, which some operations need too. */
function allowedFor(kind: KindDef, operation: Operation, model: Model): Allowed {
  if (!kind.active) return NOBODY;
  const own = allowedBy(accessSettingOf(kind, operation, model), kind);
  if (operation === 'signup') return own.audience === 'anyone' ? own : NOBODY;
  return REQUIRE_READ.has(operation) ? both(own, allowedFor(kind, 'read', model)) : own;
}

type Setting = { readonly level: EffectiveLevel } | { readonly rules: readonly string[] };

function allowedBy(setting: Setting, kind: KindDef): Allowed {
  if ('level' in setting) return { audience: setting.level, byRule: false };
  // Rules cannot be tested on the units of a remote source.
  if (!kind.storage.rules) return { audience: 'admin', byRule: false };
  return allowedByRules(setting.rules, kind.public);
}

function allowedByRules(rules: readonly string[], isPublic: boolean): Allowed {
  const audience = isPublic && !rules.every(needsMember) ? 'anyone' : 'member';
  return { audience, byRule: !rules.some(isAlwaysTrue) };
}

/** What both allow. */
export function both(a: Allowed, b: Allowed): Allowed {
  const audience = AUDIENCES[Math.min(AUDIENCES.indexOf(a.audience), AUDIENCES.indexOf(b.audience))] ?? 'nobody';
  return { audience, byRule: (a.byRule || b.byRule) && audience !== 'nobody' && audience !== 'admin' };
}

/** The one that allows more. */
function wider(a: Allowed, b: Allowed): Allowed {
  const [first, second] = [a, b].map(({ audience }) => AUDIENCES.indexOf(audience)) as [number, number];
  if (first === second) return a.byRule ? b : a;
  return first > second ? a : b;
}

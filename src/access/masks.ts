/** The fields of a unit that a caller may read and write. Pure. */
import { URL_FIELD } from '../model/built-in/file-fields.js';
import type { Field, KindDef, Model } from '../model/model.js';
import { isRules, type FieldAccess } from '../model/parameter-setting/access.setting.js';
import { LEVELS } from '../model/access-levels.js';
import type { ParameterDef } from '../model/parameter-type/parameter-def.js';
import { conditionOf } from '../model/predicate/conditional-field.js';
import { isAdministrator, scopeOfKey, type Caller, type CallerKey } from '../tenancy/caller.js';
import { isAlwaysFalse } from '../model/predicate/predicate.js';
import { conditionalFields, hasFieldRules } from './field-rules.js';
import { passesLevel } from './level.js';
import { getOrInsert } from '../shared/maps.js';

/** A parameter without a setting has no restriction beyond that of its kind. Only administrators pass every rule. */
function fieldAccessAllows(access: FieldAccess | undefined, caller: Caller): boolean {
  if (isRules(access)) return caller.type === 'system' || isAdministrator(caller);
  return access === undefined || passesLevel(access, caller);
}

type CallerClass = 'system' | 'admin' | 'member' | 'anonymous';

function callerClassOf(caller: Caller): CallerClass {
  return caller.type === 'member' && caller.admin ? 'admin' : caller.type;
}

/** A cache key that is equal for callers with the same rights by level. Rules may still distinguish them. */
export function rightsKeyOf(caller: Caller): string {
  const member = caller.type === 'member' ? ` of ${caller.kindId}` : '';
  const key =
    caller.type === 'member' && caller.key ? ` by ${sortOfKey(caller.key)} ${scopeOfKey(caller)?.id ?? ''}` : '';
  return `${caller.seesHidden ? 'function as ' : ''}${callerClassOf(caller)}${member}${key}`;
}

function sortOfKey({ agent }: CallerKey): string {
  if (!agent) return 'key';
  return agent.writes ? 'writing agent' : 'agent';
}

interface Masks {
  readonly readable: ReadonlyMap<string, Field>;
  readonly writable: ReadonlyMap<string, Field>;
}

/** Cached per definition of a kind, and so as long as the model exists. Without fields that have rules. */
const masksByKind = new WeakMap<KindDef, Map<string, Masks>>();

function masksOf(kind: KindDef, caller: Caller): Masks {
  const callerClass = caller.seesHidden ? `function as ${callerClassOf(caller)}` : callerClassOf(caller);
  const ofKind = getOrInsert(masksByKind, kind, () => new Map<string, Masks>());
  return getOrInsert(ofKind, callerClass, () => masksFor(kind, caller));
}

function masksFor(kind: KindDef, caller: Caller): Masks {
  const fields = [...kind.fields.values()];
  const readable = fields
    .filter((field) => hasValue(field) && mayReadField(field, caller))
    .map((field) => (field.revealing ? withoutRevealing(field, kind, caller) : field));
  const writable = fields.filter((field) => isWritten(field) && fieldAccessAllows(field.def.writeAccess, caller));
  return { readable: byFieldId(readable), writable: byFieldId(writable) };
}

/** Whether callers write it at all. */
function isWritten({ system, def }: Field): boolean {
  return !system && !def.sequence;
}

/** Whether the definition of a field allows a caller to read it in every unit. */
export function mayReadField({ def }: Field, caller: Caller): boolean {
  return (!def.hidden || caller.seesHidden === true) && fieldAccessAllows(def.readAccess, caller);
}

/** Whether a caller may see the values in a definition: its default, limits, allowed values and pattern. */
export function mayReadValues({ hidden, readAccess }: ParameterDef, caller: Caller): boolean {
  return caller.type === 'system' || isAdministrator(caller) || (!hidden && fieldAccessAllows(readAccess, caller));
}

/** Whether a caller may know all of a definition: its values, and no rule that only administrators see. */
export function mayReadDefinition(def: ParameterDef, caller: Caller): boolean {
  const sees = caller.type === 'system' || isAdministrator(caller) || !isRules(def.writeAccess);
  return sees && mayReadValues(def, caller);
}

/**
 * Restricts a field of definitions that shows values of a parameter, or rights: administrators see it in every
 * definition, others values only where they may read the parameter, and rights nowhere.
 */
function withoutRevealing(field: Field, { fields }: KindDef, caller: Caller): Field {
  if (caller.type === 'system' || isAdministrator(caller)) return field;
  if (field.revealing === 'rights') return caller.seesHidden ? field : { ...field, shownWhere: 'nowhere' };
  const [flag, level] = [fields.get('hidden'), fields.get('read_access')];
  if (!flag || !level) return { ...field, shownWhere: 'nowhere' };
  return { ...field, shownWhere: { flag, level, among: LEVELS.filter((each) => passesLevel(each, caller)) } };
}

function hasValue(field: Field): boolean {
  return field.column !== undefined || field.constant !== undefined;
}

function byFieldId(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [field.id, field]));
}

/**
 * The fields of a unit that a caller sees, and may name in filters and orders. Those with rules have a condition, and can
 * not be named in queries that would reveal values (`ConditionalField`).
 */
export function readableFields(kind: KindDef, caller: Caller, model: Model): ReadonlyMap<string, Field> {
  const { readable } = masksOf(kind, caller);
  if (!hasFieldRules(kind)) return readable;
  const isOffered = (field: Field) => hasValue(field) && (!field.def.hidden || caller.seesHidden === true);
  return withConditional(kind, readable, conditionalFields(kind, 'readAccess', caller, model, isOffered));
}

const withUrl = new WeakMap<ReadonlyMap<string, Field>, ReadonlyMap<string, Field>>();

/** The same with what is made for answers that name it. */
export function namedFields(kind: KindDef, caller: Caller, model: Model): ReadonlyMap<string, Field> {
  const readable = readableFields(kind, caller, model);
  if (!kind.traits.contents || kind.fields.has(URL_FIELD.id)) return readable;
  return getOrInsert(withUrl, readable, () => new Map([...readable, [URL_FIELD.id, URL_FIELD]]));
}

/** The fields that a caller may read in some unit that could exist, for descriptions: without those whose rules never hold for it. */
export function describedFields(kind: KindDef, caller: Caller, model: Model): ReadonlyMap<string, Field> {
  return possibleFields(readableFields(kind, caller, model));
}

/** Without fields whose rules never hold for a caller, such as those that name a parameter which its kind lacks. */
function possibleFields(fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Field> {
  const possible = [...fields].filter(([, field]) => !isAlwaysFalse(conditionOf(field)));
  return possible.length === fields.size ? fields : new Map(possible);
}

/** The fields that a caller may set in a body. Those with rules have the condition that the unit must satisfy. */
export function writableFields(kind: KindDef, caller: Caller, model: Model): ReadonlyMap<string, Field> {
  const { writable } = masksOf(kind, caller);
  if (!hasFieldRules(kind)) return writable;
  const conditional = conditionalFields(kind, 'writeAccess', caller, model, isWritten);
  return withConditional(kind, writable, possibleFields(conditional));
}

/** Both in the order of the kind's fields. */
function withConditional(
  { fields }: KindDef,
  plain: ReadonlyMap<string, Field>,
  conditional: ReadonlyMap<string, Field>,
): ReadonlyMap<string, Field> {
  if (conditional.size === 0) return plain;
  return byFieldId([...fields.keys()].flatMap((id) => conditional.get(id) ?? plain.get(id) ?? []));
}

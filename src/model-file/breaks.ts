/** What programs that use the API would notice of a change: what they name or read is another, or what they send is refused. Pure. */
import { isRequired } from '../model/field.js';
import type { Field, KindDef, Model } from '../model/model.js';
import type { Constraint } from '../model/parameter-type/parameter-type.js';
import { jsonEqual } from '../shared/json.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import type { Step } from './steps.js';

/** A text for each. @param before with the new ids of what is renamed */
export function* breaksOf(before: Model, after: Model, steps: readonly Step[]): WorkInPieces<string[]> {
  const found = steps.flatMap(({ name, was }) => (was === undefined ? [] : [`${was} is now ${name}`]));
  for (const kind of before.kinds.values()) {
    const now = after.kinds.get(kind.id);
    if (!now) found.push(`${kind.id} is gone`);
    else if (now !== kind) found.push(...breaksOfKind(kind, now), ...breaksOfFields(kind, now, kind.id));
    yield;
  }
  for (const { id, values } of before.linkTypes.values()) {
    const now = after.linkTypes.get(id);
    if (!now) found.push(`links.${id} is gone`);
    else if (now.values !== values) found.push(...breaksOfFields(values, now.values, `links.${id}`));
  }
  for (const { id, kinds } of before.groups.values()) {
    const now = after.groups.get(id);
    if (!now) found.push(`groups.${id} is gone`);
    else {
      const gone = kinds.filter((kind) => !now.kinds.includes(kind) && after.kinds.has(kind));
      found.push(...gone.map((kind) => `groups.${id} has ${kind} no longer`));
    }
  }
  return found;
}

function breaksOfKind(was: KindDef, { id, active, unique, checks }: KindDef): string[] {
  const stricter = unique.filter((names) => !was.unique.some((known) => jsonEqual(known, names)));
  const judged = checks.filter(({ filter }) => !was.checks.some((known) => known.filter === filter));
  return [
    ...(was.active && !active ? [`${id} is not active`] : []),
    ...stricter.map((names) => `${id} is unique by ${names.join(', ')}`),
    ...judged.map((check) => `${id} has the check ${check.id}`),
  ];
}

function breaksOfFields(was: KindDef, is: KindDef, owner: string): string[] {
  const found: string[] = [];
  for (const field of was.fields.values()) {
    if (!is.fields.has(field.id) && !field.def.hidden) found.push(`${owner}.${field.id} is gone`);
  }
  for (const field of is.fields.values()) {
    const old = was.fields.get(field.id);
    if (old?.def === field.def) continue;
    found.push(...breaksOfField(old, field).map((text) => `${owner}.${field.id} ${text}`));
  }
  return found;
}

/** @param was undefined if it is new */
function breaksOfField(was: Field | undefined, is: Field): string[] {
  const needed = isRequired(is) && !(was && isRequired(was)) ? ['is required'] : [];
  if (!was) return needed;
  const [old, now] = [was.def, is.def];
  const [form, other] = [formOf(was), formOf(is)];
  const limits = is.type.constraints?.(now) ?? [];
  const known = was.type.constraints?.(old) ?? [];
  return [
    ...needed,
    ...(form === other ? [] : [`is ${other}, not ${form}`]),
    ...(!old.hidden && now.hidden ? ['is not answered'] : []),
    ...(!old.nullable && now.nullable ? ['may be null'] : []),
    ...(old.nullable && !now.nullable ? ['may not be null'] : []),
    ...(!old.unique && now.unique ? ['is unique'] : []),
    ...(!old.writeOnce && now.writeOnce ? ['is written once'] : []),
    ...(!old.sequence && now.sequence ? ['is not written'] : []),
    ...(form === other ? limits.flatMap((limit) => narrowed(limit, known, is)) : []),
  ];
}

/** What a value looks like in an answer. */
function formOf({ type, def, reference }: Field): string {
  const one = reference
    ? `the id of a ${reference.kind}`
    : type.typescript === 'Json'
      ? 'JSON'
      : `a ${type.typescript}`;
  return def.multiple ? `a list, each ${one}` : one;
}

/** The smaller one of these limits is the stricter. */
const MOST: ReadonlySet<string> = new Set(['max_length', 'max_bytes', 'max_value', 'scale']);

function narrowed(limit: Constraint, known: readonly Constraint[], { type }: Field): string[] {
  const was = known.find((each) => each.type === limit.type);
  if (limit.type === 'values') {
    const gone = was?.type === 'values' ? was.values.filter((value) => !limit.values.includes(value)) : undefined;
    if (!gone) return [`takes ${limit.values.join(', ')} alone`];
    return gone.length > 0 ? [`takes no ${gone.join(', ')}`] : [];
  }
  if (limit.type === 'pattern') return jsonEqual(was ?? null, limit) ? [] : [`takes what matches ${limit.pattern}`];
  const old = was && 'limit' in was ? was.limit : undefined;
  const compare = type.compare?.bind(type) ?? ((a, b) => Number(a) - Number(b));
  const isCompared = limit.type === 'min_value' || limit.type === 'max_value';
  const order = old === undefined ? 0 : isCompared ? compare(limit.limit, old) : Number(limit.limit) - Number(old);
  const isStricter = old === undefined || (MOST.has(limit.type) ? order < 0 : order > 0);
  return isStricter ? [`has ${limit.type} ${limit.limit}`] : [];
}

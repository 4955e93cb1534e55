/** What a change of definitions lets somebody do with what was there before it. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Field, isMemberKind, type KindDef, type Model } from '../model/model.js';
import { type FieldAccess, isRules } from '../model/parameter-setting/access.setting.js';
import { parsedTransitions } from '../model/parameter-setting/transitions.setting.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import {
  accessReport,
  allowedByField,
  allowedToWrite,
  type Allowed,
  type Audience,
  AUDIENCES,
  both,
  fieldsOfMembersInRules,
  type ReportedAccess,
  WRITES,
} from './report.js';

export interface Opening {
  /** As a model file names it: `article:read`, `article.title:write`, `links.cites:create`. */
  readonly name: string;
  /** Who may do more. */
  readonly who: Audience;
  /** The operation. */
  readonly what: string;
  /** Whether it is by what the project allows where nothing is said. */
  readonly byDefault?: true;
}

/** What somebody is allowed, with the rules of which one has to match. */
interface Access extends Allowed {
  readonly rules: readonly string[];
}

const NOBODY: Access = { audience: 'nobody', byRule: false, rules: [] };

/** @param before with the new ids of what is renamed */
export function* openings(before: Model, after: Model): WorkInPieces<readonly Opening[]> {
  const [was, is] = [yield* entriesOf(before), yield* entriesOf(after)];
  const found: Opening[] = [];
  for (const [name, entry] of is) {
    const former = was.get(name) ?? (isThere(before, entry) ? formerOf(entry) : undefined);
    if (former ? allowsMore(former, entry) : isWrittenByAnyone(entry)) {
      const byDefault = entry.on === 'units' && !entry.stored && before.accessDefault !== after.accessDefault;
      found.push({ name, who: entry.audience, what: entry.operation, ...(byDefault && { byDefault }) });
    }
  }
  for (const [name, entry] of was) {
    // Without a setting of its own, the right of the parents' kinds decides.
    if (entry.on !== 'links' || is.has(name) || !after.linkTypes.has(entry.id) || entry.audience === 'anyone') continue;
    found.push({ name, who: 'anyone', what: entry.operation });
  }
  for (const { id, values } of after.linkTypes.values()) {
    const former = before.linkTypes.get(id);
    if (former && former !== after.linkTypes.get(id)) found.push(...ofSettings(former.values, values, `links.${id}`));
    if (!former && !is.has(`links.${id}:create`) && isLinkedByAnyone(after, is))
      found.push({ name: `links.${id}:create`, who: 'anyone', what: 'create' });
    yield;
  }
  const tested = yield* fieldsOfMembersInRules(after, []);
  for (const kind of after.kinds.values()) {
    const former = before.kinds.get(kind.id);
    if (former && former !== kind) found.push(...ofFields(former, kind, after, tested));
    yield;
  }
  return found;
}

/** The operations on units and links, by their names. */
function* entriesOf(model: Model): WorkInPieces<ReadonlyMap<string, ReportedAccess>> {
  const { entries } = yield* accessReport(model, {}, { builtIn: true });
  const named = entries.flatMap((entry): [string, ReportedAccess][] => {
    if (entry.on !== 'units' && entry.on !== 'links') return [];
    return [[`${entry.on === 'links' ? 'links.' : ''}${entry.id}:${entry.operation}`, entry]];
  });
  return new Map(named);
}

function isThere({ kinds, linkTypes }: Model, { on, id }: ReportedAccess): boolean {
  return on === 'links' ? linkTypes.has(id) : kinds.has(id);
}

/** What was allowed where nothing was said: of links, what the kinds of their parents allow, which may be little. */
function formerOf({ on }: ReportedAccess): Access {
  return on === 'links' ? { ...NOBODY, audience: 'admin' } : NOBODY;
}

function isWrittenByAnyone({ audience, operation }: Pick<ReportedAccess, 'audience' | 'operation'>): boolean {
  return audience === 'anyone' && (WRITES.has(operation) || operation === 'signup');
}

/** Whether strangers make links from some kind, of link types that say nothing of it. */
function isLinkedByAnyone({ kinds }: Model, entries: ReadonlyMap<string, ReportedAccess>): boolean {
  return [...kinds.keys()].some((id) => entries.get(`${id}:link`)?.audience === 'anyone');
}

function* ofFields(
  former: KindDef,
  kind: KindDef,
  model: Model,
  tested: ReadonlySet<string>,
): Generator<Opening, void, undefined> {
  for (const field of kind.fields.values()) {
    if (former.fields.has(field.id)) continue;
    const name = `${kind.id}.${field.id}`;
    const write = both(allowedToWrite(kind, model), allowedByField(field.def.writeAccess, kind));
    // A rule that names it of the member held for nobody.
    if (isMemberKind(kind) && tested.has(field.id)) yield { name, who: 'member', what: 'read' };
    else if (write.audience === 'anyone' && !field.system) yield { name, who: 'anyone', what: 'write' };
  }
  yield* ofSettings(former, kind, kind.id);
}

/** What the settings of fields allow that were there before, of a kind or of the values of a link type. */
function* ofSettings(former: KindDef, kind: KindDef, path: string): Generator<Opening, void, undefined> {
  for (const field of kind.fields.values()) {
    const was = former.fields.get(field.id);
    if (!was || was.def === field.def) continue;
    for (const what of ['read', 'write'] as const) {
      const [old, now] = [accessTo(was, former, what), accessTo(field, kind, what)];
      const isFree = what === 'write' && ((was.def.writeOnce && !field.def.writeOnce) || hasMoreWays(was, field));
      if (allowsMore(old, now) || isFree) yield { name: `${path}.${field.id}:${what}`, who: now.audience, what };
    }
  }
}

/** Whether a value may become one that it could not become before: a condition that is another counts as more. */
function hasMoreWays({ def: { transitions: was } }: Field, { def: { transitions: is } }: Field): boolean {
  if (!was) return false;
  if (!is) return true;
  const [before, now] = [parsedTransitions(was), parsedTransitions(is)];
  const begin = before.initial;
  if (begin && !now.initial?.every((value) => begin.includes(value))) return true;
  return now.list.some((way) => !before.list.some((each) => isDeepStrictEqual(each, way)));
}

/** What the settings of a field allow by themselves. */
function accessTo({ def }: Field, kind: KindDef, what: 'read' | 'write'): Access {
  if (def.hidden) return NOBODY;
  const setting: FieldAccess | undefined = what === 'read' ? def.readAccess : def.writeAccess;
  return { ...allowedByField(setting, kind), rules: isRules(setting) ? setting : [] };
}

/** Whether somebody is allowed more: a rule that is added or changed counts as more, one that is taken out does not. */
function allowsMore(was: Access, is: Access): boolean {
  const freely = ({ audience, byRule }: Access) => AUDIENCES.indexOf(byRule ? 'admin' : audience);
  if (freely(is) > freely(was)) return true;
  const [before, now] = [was, is].map(({ audience }) => AUDIENCES.indexOf(audience)) as [number, number];
  if (!is.byRule || now <= freely(was)) return false;
  return now > before || is.rules.some((rule) => !was.rules.includes(rule));
}

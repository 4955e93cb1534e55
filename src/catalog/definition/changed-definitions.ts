/** What a change of definitions changed, for the audit log: which definitions, which of their settings, and access. */
import type { GroupDef, KindDef, LinkTypeDef, Model } from '../../model/model.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import type { Json } from '../../shared/json.js';

/** A change can concern thousands of definitions; the audit log names so many. */
const MOST = 200;
/** Characters of an access setting that are shown. */
const MOST_OF_ACCESS = 2000;

type Settings = Readonly<Record<string, unknown>>;
type Entry = Record<string, Json>;

interface ChangedDefinitions extends Readonly<Record<string, Json>> {
  readonly changes: Json[];
}

export function changedDefinitions(before: Model, after: Model): ChangedDefinitions {
  const all = [
    ...changesOf('kind', before.kinds, after.kinds, kindSettings),
    ...changesOf('parameter', before.parameters, after.parameters, parameterSettings),
    ...changesOf('group', before.groups, after.groups, groupSettings),
    ...changesOf('link', before.linkTypes, after.linkTypes, linkSettings),
    ...defaultAccess(before, after),
  ];
  const more = all.length - MOST;
  return { changes: all.slice(0, MOST), ...(more > 0 && { more }) };
}

/** Unchanged definitions are the same objects in both models, or equal ones. */
function changesOf<T>(
  definition: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  settingsOf: (definition: T) => Settings,
): Entry[] {
  const found: Entry[] = [];
  for (const [id, now] of after) {
    const was = before.get(id);
    if (was === now) continue;
    const [old, changed] = [was && settingsOf(was), settingsOf(now)];
    if (!old) found.push({ definition, id, change: 'created', ...accessOf({}, changed) });
    else {
      const settings = Object.keys({ ...old, ...changed }).filter((name) => !isEqual(old[name], changed[name]));
      if (settings.length > 0) found.push({ definition, id, change: 'changed', settings, ...accessOf(old, changed) });
    }
  }
  for (const id of before.keys()) if (!after.has(id)) found.push({ definition, id, change: 'deleted' });
  return found;
}

function kindSettings({
  label,
  active,
  public: isPublic,
  access,
  parameters,
  unique,
  indexes,
  groups,
}: KindDef): Settings {
  return { label, active, public: isPublic, access, parameters, unique, indexes, groups };
}

/** Names of settings as in definitions. */
function parameterSettings(def: ParameterDef): Settings {
  return Object.fromEntries(
    Object.entries(def).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

function groupSettings({ label, kinds }: GroupDef): Settings {
  return { label, kinds };
}

function linkSettings({ parameters, access }: LinkTypeDef): Settings {
  return { parameters, access };
}

function defaultAccess({ accessDefault: old }: Model, { accessDefault }: Model): Entry[] {
  if (old === accessDefault) return [];
  return [
    { definition: 'project', change: 'changed', settings: ['access_default'], access_default: [old, accessDefault] },
  ];
}

/** The settings that say who may do what, before and after. */
function accessOf(before: Settings, after: Settings): Entry {
  const names = ['access', 'read_access', 'write_access'];
  const changed = names.filter((name) => !isEqual(before[name] ?? null, after[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, [shown(before[name]), shown(after[name])]]));
}

function shown(access: unknown): Json {
  const value = (access ?? null) as Json;
  return JSON.stringify(value).length > MOST_OF_ACCESS ? '(too long)' : value;
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The steps of a plan: what a model file changes, by the names with which loss and opening are allowed. Pure. */
import type { Opening } from '../access/openings.js';
import type { JudgedUnits } from '../catalog/definition/judged-units.js';
import type { Model } from '../model/model.js';
import { LINK_TABLE } from '../model/names.js';
import type { Guard } from '../model/table/diff.js';
import { namedByRecord } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, type Json } from '../shared/json.js';
import { isOwnOfKind, namesIn, type Definition, type Edit, type ModelChanges } from './definitions.js';

export interface Step {
  readonly change: 'rename' | 'add' | 'edit' | 'drop';
  /** `article`, `article.summary`, `article:read`, `parameters.price`, `groups.things`, `settings.access_default`. */
  readonly name: string;
  /** The former name. */
  readonly was?: string;
  /** The fields that change. */
  readonly fields?: readonly string[];
  /** Those that are made or edited. */
  readonly units?: number;
  /** Units, links, values and versions that are lost. */
  readonly loses?: number;
  readonly opens?: readonly { readonly who: string; readonly what: string }[];
  /** Units that contradict it, and the ids of some. */
  readonly refused?: { readonly number: number; readonly ids: readonly string[] };
  /** Whether there are so many units that a plan has not looked at them. */
  readonly estimated?: true;
}

export interface Done {
  readonly renamed: readonly Definition[];
  /** Shared parameters that are now own ones. */
  readonly parted: readonly Definition[];
  readonly changes: ModelChanges;
  /** As the effects of a change of definitions have them. */
  readonly losses: readonly Readonly<Record<string, Json>>[];
  /** Beside these, by the names of their steps. */
  readonly lost: readonly { readonly name: string; readonly count: number }[];
  readonly openings: readonly (Omit<Opening, 'who'> & { readonly who: string })[];
  /** The names of settings that change. */
  readonly settings: readonly string[];
  /** The numbers of units that are made or edited, by kind. */
  readonly seeded: ReadonlyMap<string, number>;
  /** Of a plan. */
  readonly found?: {
    readonly judged: JudgedUnits;
    readonly before: Model;
    readonly model: Model;
    /** Whether units of the file were written, and so counted. */
    readonly isSeeded: boolean;
  };
}

export function stepsOf({ renamed, parted, changes, losses, lost, openings, settings, seeded, found }: Done): Step[] {
  const steps = new Map<string, Step>();
  const add = (step: Step): void => {
    const known = steps.get(step.name);
    if (known?.change === 'add' || known?.change === 'drop') return;
    const fields = [...(known?.fields ?? []), ...(step.fields ?? [])];
    // What gets another name may change too.
    const told = known?.change === 'rename' ? known : { ...known, ...step };
    steps.set(step.name, { ...told, ...(fields.length > 0 && { fields }) });
  };
  for (const definition of renamed) {
    const was = nameOf({ ...definition, id: definition.was ?? definition.id });
    add({ change: 'rename', name: nameOf(definition), was });
  }
  for (const definition of withoutParts(changes.creates)) add({ change: 'add', name: nameOf(definition) });
  for (const definition of parted) {
    if (!changes.deletes.some(({ id }) => id === definition.id))
      add({ change: 'edit', name: nameOf(definition), fields: ['own'] });
  }
  for (const edit of changes.edits) for (const step of stepsOfEdit(edit)) add(step);
  for (const definition of withoutParts(changes.deletes)) add({ change: 'drop', name: nameOf(definition) });
  for (const name of settings) add({ change: 'edit', name: `settings.${name}` });
  for (const [kind, units] of seeded) {
    add({ change: 'edit', name: `units.${kind}`, units, ...(found?.isSeeded === false && { estimated: true }) });
  }
  const put = (name: string, more: Partial<Step>): void =>
    void steps.set(name, { ...(steps.get(name) ?? { change: 'edit', name }), ...more });
  for (const { name, count } of [
    ...losses.map((loss) => ({ name: nameOfLoss(loss), count: numberOf(loss) })),
    ...lost,
  ]) {
    put(name, { loses: (steps.get(name)?.loses ?? 0) + count });
  }
  for (const { name: of, who, what, byDefault } of openings) {
    const name = byDefault ? 'settings.access_default' : of;
    const opened = { who, what: byDefault ? of : what };
    put(name, { opens: [...(steps.get(name)?.opens ?? []), opened] });
  }
  if (found) addFound(found, steps, put);
  return [...steps.values()];
}

/** Parameters of one kind come and go with it. */
function withoutParts(definitions: readonly Definition[]): Definition[] {
  const kinds = new Set(definitions.flatMap(({ section, id }) => (section === 'kinds' ? [id] : [])));
  return definitions.filter(
    ({ section, id }) => section !== 'parameters' || !kinds.has(namedByRecord(id).ownKind ?? ''),
  );
}

/** What a plan has found out about stored units. */
function addFound(
  { judged, before, model }: NonNullable<Done['found']>,
  steps: ReadonlyMap<string, Step>,
  put: (name: string, more: Partial<Step>) => void,
): void {
  for (const { guard, number, ids } of judged.refused) {
    const name = nameOfGuard(guard, model);
    const known = steps.get(name)?.refused ?? { number: 0, ids: [] };
    put(name, { refused: { number: known.number + number, ids: [...new Set([...known.ids, ...ids])] } });
  }
  for (const { guard, number } of judged.filled) put(nameOfGuard(guard, model), { units: number });
  const tables = [...before.kinds.values(), ...model.kinds.values()]
    .filter(({ table }) => judged.estimated.has(table))
    .map(({ id }) => id);
  if (judged.estimated.has(LINK_TABLE)) tables.push(...[...model.linkTypes.keys()].map((id) => `links.${id}`));
  for (const { name } of [...steps.values()]) {
    if (tables.some((of) => name === of || name.startsWith(`${of}.`))) put(name, { estimated: true });
  }
  for (const guard of judged.unread) put(nameOfGuard(guard, model), { estimated: true });
}

/** Guards of constraints of a whole kind name the field of its definition. */
function nameOfGuard({ kind, linkType, parameter }: Guard, { kinds }: Model): string {
  if (linkType !== undefined) return `links.${linkType}${parameter === undefined ? '' : `.${parameter}`}`;
  return parameter !== undefined && kinds.get(kind)?.fields.has(parameter) ? `${kind}.${parameter}` : kind;
}

function nameOf({ section, id }: Pick<Definition, 'section' | 'id'>): string {
  if (section === 'kinds') return id;
  return isOwnOfKind({ section, id }) ? id : `${section}.${id}`;
}

/** Access is told by operation, and the list of parameters by parameter. */
function stepsOfEdit({ definition, values, before, from }: Edit): Step[] {
  const name = nameOf(definition);
  const steps: Step[] = [];
  const { access, parameters, ...others } = values;
  if (parameters !== undefined) {
    const [old, now] = [namesIn(before['parameters']), namesIn(parameters)];
    const added = now.filter((each) => !old.includes(each));
    const dropped = old.filter((each) => !now.includes(each));
    steps.push(...added.map((each): Step => ({ change: 'add', name: `${name}.${each}` })));
    steps.push(...dropped.map((each): Step => ({ change: 'drop', name: `${name}.${each}` })));
    if (added.length + dropped.length === 0) steps.push({ change: 'edit', name, fields: ['parameters'] });
  }
  if (access !== undefined) {
    const [old, now] = [settingsIn(before['access']), settingsIn(access)];
    const changed = Object.keys({ ...old, ...now }).filter((each) => !jsonEqual(old[each] ?? null, now[each] ?? null));
    steps.push(...changed.map((each): Step => ({ change: 'edit', name: `${name}:${each}` })));
  }
  const fields = [...(from === undefined ? [] : ['type']), ...Object.keys(others)];
  return fields.length > 0 ? [{ change: 'edit', name, fields }, ...steps] : steps;
}

function settingsIn(access: Json | undefined): Readonly<Record<string, Json>> {
  return isPlainObject(access) ? access : {};
}

function nameOfLoss({ kind_id: kind, link_id: link, parameter }: Readonly<Record<string, Json>>): string {
  const owner = typeof link === 'string' ? `links.${link}` : (kind as string);
  return typeof parameter === 'string' ? `${owner}.${parameter}` : owner;
}

function numberOf(loss: Readonly<Record<string, Json>>): number {
  return ['units', 'links', 'versions'].reduce((sum, name) => sum + Number(loss[name] ?? 0), 0);
}

/** The steps of a plan: what a model file changes, by the names with which loss and opening are allowed. Pure. */
import type { Opening } from '../access/openings.js';
import { namedByRecord } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, type Json } from '../shared/json.js';
import type { Definition, Edit, ModelChanges } from './definitions.js';

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
}

export interface Done {
  readonly renamed: readonly Definition[];
  readonly changes: ModelChanges;
  /** As the effects of a change of definitions have them. */
  readonly losses: readonly Readonly<Record<string, Json>>[];
  readonly openings: readonly Opening[];
  /** The names of settings that change. */
  readonly settings: readonly string[];
  /** The numbers of units that are made or edited, by kind. */
  readonly seeded: ReadonlyMap<string, number>;
}

export function stepsOf({ renamed, changes, losses, openings, settings, seeded }: Done): Step[] {
  const steps = new Map<string, Step>();
  const add = (step: Step): void => {
    const known = steps.get(step.name);
    // What a kind has goes, or comes, with its definition.
    if (!known || known.change === 'edit') steps.set(step.name, { ...known, ...step });
  };
  for (const definition of renamed) {
    const was = nameOf({ ...definition, id: definition.was ?? definition.id });
    add({ change: 'rename', name: nameOf(definition), was });
  }
  for (const definition of changes.creates) add({ change: 'add', name: nameOf(definition) });
  for (const edit of changes.edits) for (const step of stepsOfEdit(edit)) add(step);
  for (const definition of changes.deletes) add({ change: 'drop', name: nameOf(definition) });
  for (const name of settings) add({ change: 'edit', name: `settings.${name}` });
  for (const [kind, units] of seeded) add({ change: 'edit', name: `units.${kind}`, units });
  const put = (name: string, more: Partial<Step>): void =>
    void steps.set(name, { ...(steps.get(name) ?? { change: 'edit', name }), ...more });
  for (const loss of losses) {
    const name = nameOfLoss(loss);
    put(name, { loses: (steps.get(name)?.loses ?? 0) + numberOf(loss) });
  }
  for (const { name: of, who, what, byDefault } of openings) {
    const name = byDefault ? 'settings.access_default' : of;
    const opened = { who, what: byDefault ? of : what };
    put(name, { opens: [...(steps.get(name)?.opens ?? []), opened] });
  }
  return [...steps.values()];
}

function nameOf({ section, id }: Pick<Definition, 'section' | 'id'>): string {
  if (section === 'kinds') return id;
  return section === 'parameters' && namedByRecord(id).ownKind !== undefined ? id : `${section}.${id}`;
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

function namesIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as string[]) : [];
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

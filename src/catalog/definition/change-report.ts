/** What a change of definitions does: to definitions, to tables, and what is lost by it. */
import { changedAccess } from '../../access/report-changes.js';
import type { Executor } from '../../database/database.js';
import type { Model, GroupDef, KindDef, LinkTypeDef } from '../../model/model.js';
import { columnTypeText } from '../../model/table/shape.js';
import type { ColumnChange, Guard, SchemaStep } from '../../model/table/diff.js';
import type { Json } from '../../shared/json.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { countLinksOfKindsStatement } from '../../sql/link/many-links.sql.js';
import type { JudgedUnits } from './judged-units.js';
import type { DeferredIndexes } from '../indexes/deferred-indexes.js';
import { countUnits, type GuardContext } from './change-guards.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { newRecordId, type Renames } from '../../model/rename/renames.js';
import type { RenamedTable } from '../../model/table/renamed-tables.js';

/** A change can concern thousands of tables; the answer shows so many steps. */
const MOST_STEPS = 1000;

type Entry = Readonly<Record<string, Json>>;

/** The answer of a dry run that asks for the changes. */
export interface ReportedEffects {
  readonly [name: string]: Json;
}

const RIGHTS = ['access', 'read_access', 'write_access', 'access_default'];
const VALUES = ['default'];

export class ChangeEffects {
  readonly #losses: Entry[] = [];
  #tables: readonly Entry[] = [];
  #renamed: readonly Entry[] = [];

  /** @param knowsAll whether the caller may know how many units there are, what others may do, and all values */
  constructor(private readonly knowsAll: boolean) {}

  /** Counts the units and links that the change deletes, or that lose a value by it. Runs before anything is dropped. */
  async countLosses(
    context: GuardContext,
    guards: readonly Guard[],
    droppedKinds: readonly string[],
    judged?: JudgedUnits,
  ): Promise<void> {
    const losing = guards.filter(({ cascade }) => cascade);
    const read = judged ? losing.filter((guard) => judged.isRead(guard)) : losing;
    const counts = read.length > 0 ? await countUnits(context, read) : [];
    for (const guard of losing) {
      const { kind, linkType, parameter } = guard;
      const of: Entry = linkType === undefined ? { kind_id: kind } : { link_id: linkType };
      const what: Entry = parameter === undefined ? {} : { parameter };
      const count = read.includes(guard) ? counts[read.indexOf(guard)] : await judged?.rowsOf(context, guard);
      this.addLoss({ ...of, ...what }, linkType === undefined ? 'units' : 'links', count ?? 0);
    }
    await this.#countLinks(context.executor, context.project.schema, droppedKinds);
  }

  addLoss(of: Entry, unit: 'units' | 'links' | 'versions', count: number): void {
    if (count > 0) this.#losses.push({ ...of, [unit]: this.knowsAll ? count : null });
  }

  setRenamed(tables: readonly RenamedTable[]): void {
    this.#renamed = tables.flatMap(renameEntries);
  }

  setSteps(steps: readonly SchemaStep[], deferred: DeferredIndexes): void {
    this.#tables = [...this.#renamed, ...steps.flatMap((step) => stepEntries(step, deferred))];
  }

  /** @param before the model before the change, in which renamed definitions have their new ids */
  *of(before: Model, after: Model, renames: Renames): WorkInPieces<ReportedEffects> {
    const { changes, more } = changedDefinitions(before, after, renames);
    const hidden = this.#tables.length - MOST_STEPS;
    const access = this.knowsAll ? yield* changedAccess(before, after) : undefined;
    return {
      definitions: this.#known(changes as Entry[], RIGHTS),
      tables: this.#known(this.#tables.slice(0, MOST_STEPS), VALUES),
      losses: this.#losses,
      ...(access && { access: [...access.changes] }),
      ...(access && access.more > 0 && { more_access: access.more }),
      ...(more !== undefined && { more_definitions: more }),
      ...(hidden > 0 && { more_tables: hidden }),
    };
  }

  /** Without what only those who know all may know. */
  #known(entries: readonly Entry[], secret: readonly string[]): readonly Entry[] {
    if (this.knowsAll) return entries;
    return entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => !secret.includes(name))));
  }

  async #countLinks(executor: Executor, schema: string, kinds: readonly string[]): Promise<void> {
    if (kinds.length === 0) return;
    const rows = await executor.run<{ kind: string; count: number }>(countLinksOfKindsStatement(schema, kinds));
    for (const { kind, count } of rows) this.addLoss({ kind_id: kind }, 'links', count);
  }
}

function stepEntries(step: SchemaStep, deferred: DeferredIndexes): Entry[] {
  switch (step.type) {
    case 'create_table':
      return [{ step: step.type, table: step.table.name, columns: [...step.table.columns.keys()] }];
    case 'drop_table':
      return [{ step: step.type, table: step.table }];
    case 'alter_table':
      return step.changes.flatMap((change) => columnEntries(step.table, change));
    case 'create_index': {
      const { name, columns, unique, method } = step.index;
      const later = deferred.has(name);
      return [{ step: step.type, table: step.table, index: name, columns, unique, method, in_background: later }];
    }
    case 'drop_index':
      return [{ step: step.type, index: step.name }];
    case 'add_check':
    case 'drop_check':
      return [{ step: step.type, table: step.table, check: step.check.check?.id ?? step.check.name }];
    case 'create_sequence':
      return [{ step: step.type, sequence: step.name, ...(step.numbers && { numbers: { ...step.numbers } }) }];
    case 'drop_sequence':
      return [{ step: step.type, sequence: step.name }];
    case 'add_foreign_key': {
      const { column, target, onDelete } = step.key;
      return [{ step: step.type, table: step.table, column, target, on_delete: onDelete }];
    }
    case 'drop_foreign_key':
      return [{ step: step.type, table: step.table, constraint: step.name }];
  }
}

/** Indexes, sequences and constraints follow the names of tables and columns. */
function renameEntries({ table: [table, now], columns }: RenamedTable): Entry[] {
  return [
    ...columns.map(([column, to]): Entry => ({ step: 'rename_column', table, column, to })),
    ...(table === now ? [] : [{ step: 'rename_table', table, to: now }]),
  ];
}

function columnEntries(table: string, change: ColumnChange): Entry[] {
  switch (change.type) {
    case 'drop':
      return [{ step: 'drop_column', table, column: change.column }];
    case 'widen':
      // Only model files do it, whose plans have steps of their own.
      return [];
    case 'not_null':
      return [{ step: change.notNull ? 'set_not_null' : 'drop_not_null', table, column: change.column }];
    case 'add': {
      const { column, default: value, replace } = change;
      const added = {
        step: 'add_column',
        table,
        column: column.name,
        type: columnTypeText(column),
        not_null: column.notNull,
      };
      const dropped = replace ? [{ step: 'drop_column', table, column: column.name }] : [];
      return [...dropped, { ...added, default: value }];
    }
  }
}

/** A change can concern thousands of definitions; the audit log names so many. */
const MOST = 200;
/** Characters of an access setting that are shown. */
const MOST_OF_ACCESS = 2000;

type Settings = Readonly<Record<string, unknown>>;
type Change = Record<string, Json>;

interface ChangedDefinitions extends Readonly<Record<string, Json>> {
  readonly changes: Json[];
}

/**
 * What a change of definitions changed, for the audit log: which definitions, which of their settings, and access.
 * @param before with the new ids of renamed definitions
 */
export function changedDefinitions(before: Model, after: Model, renames: Renames): ChangedDefinitions {
  const all = [
    ...renamedDefinitions(renames),
    ...changesOf('kind', before.kinds, after.kinds, kindSettings),
    ...changesOf('parameter', before.parameters, after.parameters, parameterSettings),
    ...changesOf('group', before.groups, after.groups, groupSettings),
    ...changesOf('link', before.linkTypes, after.linkTypes, linkSettings),
    ...defaultAccess(before, after),
  ];
  const more = all.length - MOST;
  return { changes: all.slice(0, MOST), ...(more > 0 && { more }) };
}

function renamedDefinitions(renames: Renames): Change[] {
  const { kinds, parameters, groups, linkTypes } = renames;
  const renamed = (definition: string, ids: ReadonlyMap<string, string>): Change[] =>
    [...ids].map(([was, id]) => ({ definition, id, change: 'renamed', was }));
  const records = [...parameters.keys()].map((was): [string, string] => [was, newRecordId(renames, was)]);
  return [
    ...renamed('kind', kinds),
    ...renamed('parameter', new Map(records)),
    ...renamed('group', groups),
    ...renamed('link', linkTypes),
  ];
}

/** Unchanged definitions are the same objects in both models, or equal ones. */
function changesOf<T>(
  definition: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  settingsOf: (definition: T) => Settings,
): Change[] {
  const found: Change[] = [];
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
  checks,
  accepted,
  changes,
  historyKeep,
  groups,
}: KindDef): Settings {
  const recorded = { changes, history_keep: historyKeep ?? null };
  return {
    label,
    active,
    public: isPublic,
    access,
    parameters,
    unique,
    indexes,
    checks,
    accepted,
    ...recorded,
    groups,
  };
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

function defaultAccess({ accessDefault: old }: Model, { accessDefault }: Model): Change[] {
  if (old === accessDefault) return [];
  return [
    { definition: 'project', change: 'changed', settings: ['access_default'], access_default: [old, accessDefault] },
  ];
}

/** The settings that say who may do what, before and after. */
function accessOf(before: Settings, after: Settings): Change {
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

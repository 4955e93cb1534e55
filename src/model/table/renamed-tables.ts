/** The tables of a model of which definitions get other ids: what of them gets another name. Pure. */
import { getOrInsert } from '../../shared/maps.js';
import { storedLinkFields } from '../build/link-types.js';
import type { Model } from '../model.js';
import { columnName, LINK_TABLE, linkColumnName } from '../names.js';
import { newFieldId, newId, type Renames } from '../rename/renames.js';
import type { TableShape } from './shape.js';

/** The old and the new name. */
export type NewName = readonly [old: string, now: string];

/** What of a table gets another name. */
export interface RenamedTable {
  readonly table: NewName;
  readonly columns: readonly NewName[];
  readonly indexes: readonly NewName[];
  readonly sequences: readonly NewName[];
  /** Foreign keys and checks. */
  readonly constraints: readonly NewName[];
}

/**
 * @param before the tables of the model
 * @param after those of the model with the new ids
 */
export function renamedTables(
  model: Model,
  renames: Renames,
  before: ReadonlyMap<string, TableShape>,
  after: ReadonlyMap<string, TableShape>,
): RenamedTable[] {
  const columns = newColumns(model, renames);
  return [...before.values()].flatMap((table) => {
    const own = columns.get(table.name);
    const name = own ? newId(renames.kinds, table.name) : table.name;
    const next = after.get(name);
    if (!next) return [];
    const now = (column: string) => own?.get(column) ?? column;
    const sequences = [...table.columns.values()].map(({ name: column, sequence = '' }): NewName => {
      return [sequence, next.columns.get(now(column))?.sequence ?? sequence];
    });
    const renamed = {
      columns: [...table.columns.keys()].map((column): NewName => [column, now(column)]).filter(isOther),
      indexes: newNames(table.indexes, next.indexes, now, (index, named) => {
        return { ...index, name: '', columns: index.columns.map(named) };
      }),
      sequences: sequences.filter(isOther),
      constraints: [
        ...newNames(table.foreignKeys, next.foreignKeys, now, ({ column }, named) => named(column)),
        ...newNames(table.checks, next.checks, now, ({ check }) => check?.id),
      ],
    };
    const isSame = name === table.name && Object.values(renamed).every((names) => names.length === 0);
    return isSame ? [] : [{ ...renamed, table: [table.name, name] }];
  });
}

/**
 * The new names of what is the same in two states of a table.
 * @param now the new name of a column
 * @param sameness what tells one from others of the table, with the new names of columns
 */
function newNames<Shape extends { readonly name: string }>(
  before: ReadonlyMap<string, Shape>,
  after: ReadonlyMap<string, Shape>,
  now: (column: string) => string,
  sameness: (shape: Shape, now: (column: string) => string) => unknown,
): NewName[] {
  const keyOf = (shape: Shape, named: (column: string) => string) => JSON.stringify(sameness(shape, named));
  const names = new Map([...after.values()].map((shape) => [keyOf(shape, (column) => column), shape.name]));
  return [...before.values()]
    .map((shape): NewName => [shape.name, names.get(keyOf(shape, now)) ?? shape.name])
    .filter(isOther);
}

function isOther([old, now]: NewName): boolean {
  return old !== now;
}

/** The new names of the columns of users' kinds and of links, by table. */
function newColumns(model: Model, renames: Renames): Map<string, Map<string, string>> {
  const columns = new Map<string, Map<string, string>>();
  for (const kind of model.kinds.values()) {
    if (kind.builtIn || !kind.storage.hasTable) continue;
    const own = getOrInsert(columns, kind.table, () => new Map<string, string>());
    for (const field of kind.fields.values()) {
      if (field.column !== undefined && field.column === columnName(field.id)) {
        own.set(field.column, columnName(newFieldId(model, renames, field)));
      }
    }
  }
  const ofLinks = getOrInsert(columns, LINK_TABLE, () => new Map<string, string>());
  for (const type of model.linkTypes.values()) {
    const id = newId(renames.linkTypes, type.id);
    for (const field of storedLinkFields(type)) {
      if (field.column !== undefined) ofLinks.set(field.column, linkColumnName(id, newFieldId(model, renames, field)));
    }
  }
  return columns;
}

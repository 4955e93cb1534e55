/**
 * Compares the tables of a schema with those that the model needs: what an upgrade adds, and what blocks it.
 * Pure.
 */
import { diffTables, type SchemaStep } from '../../model/table/diff.js';
import type { ColumnShape, TableShape } from '../../model/table/required-tables.js';
import { jsonEqual, type Json } from '../../shared/json.js';

export interface UpgradePlan {
  readonly steps: readonly SchemaStep[];
  readonly leftAlone: readonly string[];
}

/** The steps that add what `existing` lacks of `desired`. */
export function planUpgrade(
  existing: ReadonlyMap<string, TableShape>,
  desired: ReadonlyMap<string, TableShape>,
  defaults: ReadonlyMap<string, Json>,
): UpgradePlan {
  const leftAlone = [...existing.values()].flatMap((table) => unknownParts(table, desired.get(table.name)));
  const known = [...existing.values()].flatMap((table): [string, TableShape][] => {
    const wanted = desired.get(table.name);
    return wanted ? [[table.name, knownPart(table, wanted)]] : [];
  });
  return { steps: diffTables(new Map(known), desired, new Set(), defaults), leftAlone };
}

function partName(sort: string, name: string, table: Pick<TableShape, 'name'>): string {
  return `${sort} ${name} of ${table.name}`;
}

/** The parts of an existing table that are not in the model. */
function unknownParts(table: TableShape, wanted: TableShape | undefined): string[] {
  if (!wanted) return [`table ${table.name}`];
  const of = (sort: string, existing: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>) =>
    [...existing.keys()].filter((name) => !known.has(name)).map((name) => partName(sort, name, table));
  return [
    ...of('column', table.columns, wanted.columns),
    ...of('index', table.indexes, wanted.indexes),
    ...of('foreign key', table.foreignKeys, wanted.foreignKeys),
  ];
}

function knownPart(table: TableShape, wanted: TableShape): TableShape {
  const part = <T>(existing: ReadonlyMap<string, T>, known: ReadonlyMap<string, T>) =>
    new Map([...existing].filter(([name]) => known.has(name)));
  return {
    name: table.name,
    key: table.key,
    columns: part(table.columns, wanted.columns),
    indexes: part(table.indexes, wanted.indexes),
    foreignKeys: part(table.foreignKeys, wanted.foreignKeys),
  };
}

/** Objects that have the name of one in the model but differ from it. */
export function driftOf(existing: ReadonlyMap<string, TableShape>, desired: ReadonlyMap<string, TableShape>): string[] {
  return [...desired.values()].flatMap((wanted) => {
    const table = existing.get(wanted.name);
    if (!table) return [];
    const columns = [...wanted.columns.values()].flatMap((column) => {
      const known = table.columns.get(column.name);
      if (!known || columnTypeText(known) === columnTypeText(column)) return [];
      return [`column ${column.name} of ${table.name} is ${columnTypeText(known)}, not ${columnTypeText(column)}`];
    });
    const others = (sort: string, known: ReadonlyMap<string, object>, all: ReadonlyMap<string, object>) =>
      [...all]
        .filter(([name, shape]) => known.has(name) && !jsonEqual(known.get(name), shape))
        .map(([name]) => `${sort} ${name} of ${table.name} is another than the model's`);
    return [
      ...columns,
      ...others('index', table.indexes, wanted.indexes),
      ...others('foreign key', table.foreignKeys, wanted.foreignKeys),
    ];
  });
}

function columnTypeText({ type, array }: ColumnShape): string {
  return array ? `${type}[]` : type;
}

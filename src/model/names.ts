/** Names of the schemas, columns, indexes and constraints of a project. Pure and deterministic. */
import { createHash } from 'node:crypto';

/** The system columns that every PostgreSQL table has. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);

/** The schema of the registry of projects. */
export const REGISTRY_SCHEMA = 'kind';

/** The schema of a project. The prefix keeps tenants apart from the registry and from PostgreSQL's own schemas. */
export function schemaName(projectId: string): string {
  return `project_${projectId}`;
}

/** The project of a schema. */
export function projectOfSchema(schema: string): string {
  return schema.slice(schemaName('').length);
}

/** The column of a parameter: its id, with a leading `_` (which no id has) if a system column has that name. */
export function columnName(parameterId: string): string {
  return SYSTEM_COLUMNS.has(parameterId) ? `_${parameterId}` : parameterId;
}

/** Links between units. Ids are stored as texts, as in responses, because a link may be between any two kinds. */
export const LINK_TABLE = '_link';

/** The most bytes of a name in PostgreSQL. */
const NAME_BYTES = 63;

/**
 * The column of a link type's parameter in the table of links, which all link types share. No other column of it has a
 * dot.
 */
export function linkColumnName(linkType: string, parameterId: string): string {
  const name = `${linkType}.${parameterId}`;
  if (name.length <= NAME_BYTES) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${name.slice(0, NAME_BYTES - hash.length - 1)}.${hash}`;
}

/** The name of a table or index in a project that Citus keeps on a worker, where it ends in the number of a shard. */
export function withoutShard(name: string): string {
  return name.replace(/_\d+$/, '');
}

/**
 * The name of a check in its table, different for different filters. It is short, so that Citus can append the number of
 * a shard, and the name in an error tells which check it is.
 */
export function checkName(id: string, filter: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([id, filter]))
    .digest('hex')
    .slice(0, 10);
  return `_${id.slice(0, 35)}_${hash}_check`;
}

/**
 * The name of an index, constraint or sequence: readable, within 63 bytes, and different for different columns, because it
 * contains a hash of them. It starts with `_`, so that it never collides with a kind's table in the same schema.
 */
export function constraintName(
  table: string,
  columns: readonly string[],
  suffix: 'pkey' | 'key' | 'idx' | 'fkey' | 'trgm' | 'search' | 'seq',
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([table, columns, suffix]))
    .digest('hex')
    .slice(0, 10);
  const readable = `_${table}_${columns.join('_')}`.slice(0, 63 - hash.length - suffix.length - 2);
  return `${readable}_${hash}_${suffix}`;
}

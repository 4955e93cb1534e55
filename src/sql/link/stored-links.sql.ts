/** Links with all their values, as hooks receive them. */
import { storedLinkFields } from '../../model/build/link-types.js';
import type { KindDef, LinkTypeDef } from '../../model/model.js';
import { fieldJson } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, literal, param, render, sql, type Fragment } from '../fragment.js';
import type { Statement } from '../fragment.js';
import { linkTable } from '../table.sql.js';
import { unitIds } from './many-links.sql.js';

/** What identifies a link. Ids are as in records. */
export interface LinkKey {
  readonly parent_kind: string;
  readonly parent_id: string;
  readonly child_kind: string;
  readonly child_id: string;
  readonly link_id: string;
}

/** `values`: a JSON object. */
export interface StoredLinkRow extends LinkKey {
  readonly values: string;
}

/** In the order of the primary key. */
const KEY_COLUMNS = ['parent_kind', 'parent_id', 'child_kind', 'child_id', 'link_id'] as const;

export function linkKeyOf(row: LinkKey): string[] {
  return KEY_COLUMNS.map((column) => row[column]);
}

const ofRow = (row: string) => join(KEY_COLUMNS.map((column) => ident(row, column)));
const isSameLink = all(KEY_COLUMNS.map((column) => sql`${ident('l', column)} = ${ident('k', column)}`));

/** The values of the row `l`, which are parameters of its link type, as JSON text. */
function valuesSql(types: readonly LinkTypeDef[]): Fragment {
  const cases = types.flatMap((type) => {
    const fields = storedLinkFields(type);
    if (fields.length === 0) return [];
    const columns = join(fields.map((field) => sql`${fieldJson(field, 'l')} AS ${ident(field.id)}`));
    return [sql`WHEN ${literal(type.id)} THEN (SELECT row_to_json(_v)::text FROM (SELECT ${columns}) AS _v)`];
  });
  return cases.length === 0 ? sql`'{}'` : sql`CASE l."link_id" ${join(cases, ' ')} ELSE '{}' END`;
}

/** Rows `StoredLinkRow`: those of the links that exist. */
export function storedLinksStatement(
  schema: string,
  keys: readonly LinkKey[],
  types: readonly LinkTypeDef[],
): Statement {
  const columns = join(KEY_COLUMNS.map((column) => sql`${ident(column)} text`));
  return render(sql`
    SELECT ${ofRow('l')}, ${valuesSql(types)} AS "values"
    FROM json_to_recordset(${param(JSON.stringify(keys))}::json) AS k(${columns})
    JOIN ${linkTable(schema)} AS l ON ${isSameLink}
  `);
}

interface LinksOfUnits {
  readonly kind: KindDef;
  readonly keys: readonly string[];
  /** The kinds of parents whose links are read. */
  readonly parents: readonly string[];
  readonly types: readonly LinkTypeDef[];
  /** The last link of the page before. */
  readonly after: LinkKey | undefined;
  readonly limit: number;
}

/** Rows `StoredLinkRow`, a page of the links that lead from units or to them. */
export function linksOfUnitsStatement(
  schema: string,
  { kind, keys, parents, types, after, limit }: LinksOfUnits,
): Statement {
  const page = after && sql`(${ofRow('l')}) > (${join(linkKeyOf(after).map((text) => sql`${param(text)}::text`))})`;
  const where = (end: 'parent' | 'child', more: Fragment | undefined) => sql`
    SELECT ${ofRow('l')}
    FROM ${linkTable(schema)} AS l
    WHERE ${all([
      sql`${ident('l', `${end}_kind`)} = ${literal(kind.id)}`,
      sql`${ident('l', `${end}_id`)} IN ${unitIds(kind, keys)}`,
      more,
      page,
    ])}
  `;
  const asParent = parents.includes(kind.id) ? sql`${where('parent', undefined)} UNION ` : EMPTY_SQL;
  return render(sql`
    SELECT ${ofRow('l')}, ${valuesSql(types)} AS "values"
    FROM (
      ${asParent}${where('child', sql`l."parent_kind" = ANY(${param(parents)}::text[])`)}
      ORDER BY 1, 2, 3, 4, 5
      LIMIT ${integer(limit)}
    ) AS k
    JOIN ${linkTable(schema)} AS l ON ${isSameLink}
    ORDER BY ${ofRow('l')}
  `);
}

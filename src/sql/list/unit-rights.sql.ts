/** What the caller may do with a unit, as a part of its record: `can()` in `include`. */
import { isDeepStrictEqual } from 'node:util';
import { conjunctsOf, type Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { columnRef, rowOf } from '../columns.sql.js';
import { nextValues, type TransitionField } from '../condition/next-values.sql.js';
import { predicateSql } from '../condition/predicate.sql.js';
import { all, EMPTY_SQL, ident, join, literal, sql, type Fragment } from '../fragment.js';

/** The units on which something may be done: all, none, or those that match. */
export type Right = boolean | Predicate;

export interface UnitRights {
  readonly update: Right;
  readonly delete: Right;
  readonly link: Right;
  readonly functions: readonly { readonly name: string; readonly right: Right }[];
  readonly transitions: readonly ShownTransitions[];
}

export interface ShownTransitions extends TransitionField {
  /** The units that show the value. */
  readonly read: Right;
  /** The units in which the value may be written, as they are and as they become. */
  readonly write: Right;
}

/** Under the key `name` of the record. */
export interface ShownRights extends UnitRights {
  readonly name: string;
}

/** Everything that is tested. */
export function testsOfRights({ update, delete: remove, link, functions, transitions }: UnitRights): Predicate[] {
  const rights = [update, remove, link, ...functions.map(({ right }) => right)];
  const ofTransitions = transitions.flatMap(({ read, write, conditional }) => {
    return [read, write, ...conditional.map(({ condition }) => condition)];
  });
  return [...rights, ...ofTransitions].filter((right) => typeof right !== 'boolean');
}

/** `expression AS "name"` for the record of the row `t`. Each right is tested once, however many things need it. */
export function rightsColumn(schema: string, rights: ShownRights): Fragment {
  const tested: Predicate[] = [];
  const holds = (right: Right): Fragment => {
    if (typeof right === 'boolean') return right ? sql`true` : sql`false`;
    const known = tested.findIndex((each) => isDeepStrictEqual(each, right));
    return sql`_c.${ident(`c${known < 0 ? tested.push(right) - 1 : known}`)}`;
  };
  const names = rights.functions.map(({ name, right }) => {
    return sql`CASE WHEN ${holds(right)} THEN ${literal(name)} END`;
  });
  const transitions = rights.transitions.map((each) => {
    const may = all([holds(rights.update), holds(each.read), holds(each.write)]);
    return sql`${literal(each.field.id)}, CASE WHEN ${may} THEN ${writableNext(schema, rights, each)} ELSE '[]' END`;
  });
  const members = [
    sql`'update', ${holds(rights.update)}`,
    sql`'delete', ${holds(rights.delete)}`,
    sql`'link', ${holds(rights.link)}`,
    sql`'functions', to_json(array_remove(ARRAY[${join(names)}]::text[], NULL))`,
    sql`'transitions', json_build_object(${join(transitions)})`,
  ];
  // `OFFSET 0` keeps PostgreSQL from testing a right for each of its uses.
  const columns = tested.map((predicate, at) => {
    return sql`(${predicateSql(predicate, { schema, row: 't' })}) IS TRUE AS ${ident(`c${at}`)}`;
  });
  const from = tested.length > 0 ? sql` FROM (SELECT ${join(columns)} OFFSET 0) AS _c` : EMPTY_SQL;
  return sql`(SELECT json_build_object(${join(members)})${from}) AS ${ident(rights.name)}`;
}

/** The next values with which the unit stays one that the caller may change: rules test it as it would become. */
function writableNext(schema: string, { update }: UnitRights, transitions: ShownTransitions): Fragment {
  const { field, write } = transitions;
  const next = nextValues(transitions, schema);
  const rules = [update, write].flatMap((right) => (typeof right === 'boolean' ? [] : conjunctsOf(right)));
  const tests = rules.filter((rule) => testedFields(rule).some(({ column }) => column === field.column));
  if (tests.length === 0) return next;
  const row = rowOf(tests.flatMap(testedFields), (each) => {
    return each.column === field.column ? sql`_x.value` : columnRef(each, 't');
  });
  const stays = tests.map((rule) => sql`(${predicateSql(rule, { schema, row: '_n', stored: 't' })}) IS TRUE`);
  return sql`(
    SELECT coalesce(jsonb_agg(_x.value ORDER BY _x.n), '[]')
    FROM jsonb_array_elements_text(${next}) WITH ORDINALITY AS _x(value, n)
    WHERE EXISTS (SELECT FROM ${row} WHERE ${all(stays)})
  )`;
}

/** Kinds that refer to each other, and statements with paths over their references. */
import { listQueryOf } from '../../support/list-query.js';
import type { Reach } from '../../../src/model/predicate/path.js';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import { listStatement } from '../../../src/sql/list/select.sql.js';
import { planList } from '../../../src/unit/query/list.plan.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const model = modelWith({
  kinds: [
    kind('city', ['name', 'land', 'twin']),
    kind('land', [
      'iso',
      'title',
      'tags',
      'extra',
      'part',
      'name_of_a_parameter_that_is_nearly_as_long_as_any_name_may_be',
    ]),
    kind('part', ['title']),
  ],
  parameters: [
    parameter('name', 'string'),
    parameter('iso', 'string', { is_primary: true }),
    parameter('title', 'string'),
    parameter('tags', 'string', { multiple: true }),
    parameter('extra', 'json'),
    parameter('name_of_a_parameter_that_is_nearly_as_long_as_any_name_may_be', 'string'),
    parameter('land', 'unit', { reference_kind: 'land' }),
    parameter('part', 'unit', { reference_kind: 'part' }),
    parameter('twin', 'unit', { reference_kind: 'city' }),
  ],
});
export const city = kindIn(model, 'city');

const reach = (access?: Predicate): Reach => ({
  follow({ reference }) {
    const target = kindIn(model, reference?.kind ?? '');
    return { kind: target, visible: target.fields, access: target.id === 'land' ? access : undefined };
  },
  checkField: () => undefined,
});
export const italy: Predicate = {
  op: 'is',
  target: { field: kindIn(model, 'land').keyField, keys: [] },
  negated: false,
  value: 'IT',
};
export const context = (access?: Predicate) => ({
  ...{ schema: 'project_demo', kind: city, access: undefined, visible: city.fields, reach: reach(access) },
});
export const list = (query: string, access?: Predicate) =>
  listStatement(planList(listQueryOf(`?${query}`), context(access)));
export const filter = (text: string, access?: Predicate) =>
  list(`include=id&filter=${encodeURIComponent(text)}`, access);

/** The exact SQL of paths over references, committed in `paths.sql`. It runs in `test/e2e/query/paths.test.ts`. */
import { expect, it } from 'vitest';
import { listQueryOf } from '../../support/list-query.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { getStatement } from '../../../src/sql/list/select.sql.js';
import { planGet } from '../../../src/unit/query/list.plan.js';
import { context, filter, italy, list } from './paths.support.js';

const ID = '0198c0de-0000-7000-8000-000000000001';
const far = ['land', 'twin', 'twin.twin', 'twin.land', 'twin.twin.land', 'land.part', 'twin.land.part'].map(
  (way) => `eq(${way}.${way.endsWith('twin') ? 'name' : 'title'},x)`,
);

const STATEMENTS: Readonly<Record<string, Statement>> = {
  'a test': filter('eq(land.title,Italy)'),
  'its complement': filter('ne(land.title,Italy)'),
  'a null': filter('isnull(land.title)'),
  'no null': filter('isnull(land.title,false)'),
  'two references': filter('eq(land.part.title,South)'),
  'a list, and a key inside JSON': filter('or(contains(land.tags,a),eq(land.extra.a.b,1))'),
  'units that count': filter('eq(land.part.title,South)', italy),
  'tests of one unit': filter(
    'and(eq(land.title,a),and(gt(land.title,b)),ne(land.title,c),ne(land.title,d),eq(name,e))',
  ),
  'alternatives of one unit': filter('or(eq(land.title,a),gt(land.title,b),ne(land.title,c),ne(land.title,d))'),
  'the negation of an alternative': filter('not(or(eq(land.title,a),isnull(land.title)))'),
  'many references': filter(`and(${far.join()})`),
  'an order': list('include=id&order=land.title;desc&order=land.part.title;asc&order=land.extra.a;asc&limit=10'),
  'an order by units that count': list('include=id&order=land.kind_id;asc', italy),
  'an order by cursor': list('include=id&order=land.title;asc&cursor='),
  'what paths lead to': list('include=name,land.title,land.part.title,land.tags,land.extra.a,land.kind_id', italy),
  'a path whose name is too long for a column': list(
    'include=land.name_of_a_parameter_that_is_nearly_as_long_as_any_name_may_be&limit=10',
  ),
  'one unit': getStatement(planGet(listQueryOf('?include=land.title'), context()), ID),
};

const show = ({ text, values }: Statement): string =>
  [text, ...values.map((value, at) => `-- $${at + 1} = ${JSON.stringify(value)}`)].join('\n');

it('equals the committed file', async () => {
  const text = Object.entries(STATEMENTS).map(([name, statement]) => `-- ${name}\n${show(statement)}\n`);
  await expect(text.join('\n')).toMatchFileSnapshot('paths.sql');
});

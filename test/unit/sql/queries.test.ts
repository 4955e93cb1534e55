/** The exact SQL of aggregations, related units, comparisons of parameters, distances and searches, in `queries.sql`. */
import { expect, it } from 'vitest';
import { parseAggregateQuery } from '../../../src/http/route/parse-aggregate-query.js';
import { parseListQuery, urlQueryParameters } from '../../../src/http/route/parse-list-query.js';
import { UNITS_QUERY } from '../../../src/http/route/query-names.js';
import { aggregateStatement } from '../../../src/sql/aggregate/aggregate.sql.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { openExportStatement } from '../../../src/sql/list/export.sql.js';
import { listStatement } from '../../../src/sql/list/select.sql.js';
import { SYSTEM } from '../../../src/tenancy/caller.js';
import { planAggregate } from '../../../src/unit/query/aggregate.plan.js';
import { planContextOf, planList, planQuery } from '../../../src/unit/query/list.plan.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const SCHEMA = 'project_demo';
const definitions = modelWith({
  kinds: [
    kind('land', ['name', 'area']),
    kind('city', ['name', 'land', 'size', 'from', 'until', 'latitude', 'longitude', 'tags']),
  ],
  parameters: [
    parameter('name', 'string', { search: 'english', indexed: true }),
    parameter('area', 'decimal'),
    parameter('land', 'unit', { reference_kind: 'land' }),
    parameter('size', 'integer'),
    parameter('from', 'date'),
    parameter('until', 'date'),
    parameter('latitude', 'float'),
    parameter('longitude', 'float'),
    parameter('tags', 'string', { multiple: true }),
    parameter('weight', 'integer'),
  ],
  links: [{ id: 'borders', parameters: ['weight'] }],
});
const model = { ...definitions, trigrams: 'kind' };

const contextOf = (id: string) =>
  planContextOf(
    { project: { schema: SCHEMA } as never, caller: SYSTEM, model },
    { kind: kindIn(model, id), access: undefined },
  );
const list = (id: string, query: string): Statement => {
  const parsed = parseListQuery(
    urlQueryParameters(`?${query.includes('count=exact') ? '' : 'count=none&'}${query}`),
    UNITS_QUERY,
  );
  return listStatement(planQuery(parsed, (each) => planList(each, contextOf(id))));
};
const aggregate = (id: string, query: string): Statement => {
  const parsed = parseAggregateQuery(urlQueryParameters(`?${query}`));
  return aggregateStatement(planQuery(parsed, (each) => planAggregate(each, [contextOf(id)], SCHEMA)));
};

const exported = (id: string, query: string, format: 'csv' | 'ndjson', safe = false): Statement => {
  const { query: parsed } = parseListQuery(urlQueryParameters(`?${query}`), UNITS_QUERY);
  return openExportStatement({ ...planList(parsed, contextOf(id)), version: 1, format, safe });
};

const STATEMENTS: Readonly<Record<string, Statement>> = {
  'a count alone': aggregate('city', 'select=count()'),
  'groups over a reference, with a sum and a filtered count': aggregate(
    'city',
    'group=land.name&select=[sum(size),large:count(gt(size,1000))]&having=gt(large,2)&order=-large&limit=5',
  ),
  'expressions inside and outside, over a reference': aggregate(
    'city',
    'group=lower(name)&select=[count(),x:sum(mul(size,land.area)),y:max(days(from,until)),z:div(x,add(count,1)),w:add(z,z)]&having=gt(w,0)',
  ),
  'elements of a list, and periods': aggregate('city', 'group=[each(tags),year(from)]&select=[avg(size),last(name)]'),
  'units that others refer to': list('land', 'include=id&filter=exists(city.land,gt(size,1000))'),
  'their total, counted with the page': list(
    'land',
    'include=[id,cities:count_related(city.land)]&filter=exists(city.land,gt(size,9))&order=-count_related(city.land)&offset=5&limit=2&count=exact',
  ),
  'their total in an order by texts, of which not all are kept': list(
    'land',
    'include=id&filter=exists(city.land)&order=name&limit=2&count=exact',
  ),
  'an export of CSV': exported('city', 'include=[id,name,from,tags,land.name]&filter=gt(size,9)', 'csv'),
  'an export of CSV for spreadsheets': exported('land', 'include=[name,cities:count_related(city.land)]', 'csv', true),
  'an export of NDJSON': exported('land', 'order=-area', 'ndjson'),
  'units without them': list('land', 'include=id&filter=not(exists(city.land))'),
  'a number of related units': list(
    'land',
    'include=[id,cities:count_related(city.land)]&filter=gt(count_related(city.land),5)&order=-count_related(city.land)',
  ),
  'a sum of related units': list(
    'land',
    'include=[id,x:sum_related(city.land,mul(size,land.area),gt(size,9))]&filter=gt(sum_related(city.land,size),5)&order=-sum_related(city.land,size)',
  ),
  'similar texts': list('city', 'include=id&filter=similar(name,Roma,0.4)&order=similarity(land.name,Italy);desc'),
  'related units inside': list('land', 'include=[id,cities:related(city.land,gt(size,9),order=-size,limit=3)]'),
  'linked units': list('land', 'include=id&filter=linked(borders,child,land,gt(area,1000))'),
  'linked units by the values of links': list(
    'land',
    'include=id&filter=and(linked(borders,child,gt(link.weight,3)),linked(borders,child,land,or(gt(link.weight,3),gt(area,1000))))',
  ),
  'units that anything leads to, and their total': list(
    'land',
    'include=id&filter=or(gt(area,9),referred())&limit=2&count=exact',
  ),
  'units that nothing of a kind leads to': list('land', 'include=id&filter=not(referred(city,gt(size,9)))'),
  'their number': aggregate('land', 'select=count()&filter=not(referred(city,gt(size,9)))'),
  'two parameters': list('city', 'include=id&filter=gt_field(until,from)'),
  'a distance': list(
    'city',
    'include=id&filter=near(latitude,longitude,41.9,12.5,50)&order=distance(latitude,longitude,41.9,12.5)',
  ),
  words: list('city', 'include=id&search=big cat'),
};

const show = ({ text, values }: Statement): string =>
  [text, ...values.map((value, at) => `-- $${at + 1} = ${JSON.stringify(value)}`)].join('\n');

it('equals the committed file', async () => {
  const text = Object.entries(STATEMENTS).map(([name, statement]) => `-- ${name}\n${show(statement)}\n`);
  await expect(text.join('\n')).toMatchFileSnapshot('queries.sql');
});

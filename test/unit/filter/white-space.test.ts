/** White space is allowed between all parts of filters, orders, aggregations, and terms of `include`. */
import { expect, it } from 'vitest';
import { parseGroup, parseSelect } from '../../../src/filter/aggregate.parser.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { parseRelatedTerm, parseSnippetTerm } from '../../../src/filter/include.parser.js';
import { parseOrder } from '../../../src/filter/order.js';

/** A tree without the positions of its nodes. */
const withoutPositions = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'at' ? undefined : value)));

it.each([
  [parseFilter, 'and(not(eq(a.b,1)),in(c,[1,2]),isnull(d,true),gt_field(e,f),near(g,h,1,2,3))'],
  [parseFilter, 'or(exists(comment.article,eq(state,new)),gt(count_linked(borders,child,[a,b],lt(link.w,3)),5))'],
  [parseFilter, 'and(gt(sum_related(line.order,mul(add(a,2),b.c),eq(state,new)),5),similar(a,Jon,1))'],
  [parseSelect, '[t:sum(mul(a,days(b,c)),eq(d,1)),count(),m:div(t,add(count,1))]'],
  [parseSelect, '[count(),n:count(eq(a,1)),sum(b),m:max(count_related(comment.article)),first(c.d,exists(x.y))]'],
  [parseGroup, '[a.b,l:lower(f),y:year(c),each(d),bucket(e,5),n:count_linked(borders,child)]'],
  [
    parseOrder,
    '[a.b;desc;nulls_last,-c,by_value(f);nulls_first,distance(d,e,1,2);asc,rank(),-count_related(comment.article),similarity(a,Jon);desc]',
  ],
  [parseRelatedTerm, 'l:related(comment.article,eq(state,new),order=-size,limit=3)'],
  [parseRelatedTerm, 'n:count_related(comment.article,eq(state,new))'],
  [parseRelatedTerm, 'n:sum_related(line.order,mul(a,2),eq(state,new))'],
  [parseSnippetTerm, 'part:snippet(body)'],
])('%o of %s', (parse, text) => {
  const spaced = text.replace(/[^\w]/g, ' $& ');
  expect(withoutPositions(parse(spaced))).toEqual(withoutPositions(parse(text)));
});

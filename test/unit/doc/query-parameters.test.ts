/** Query parameters as the API document describes them. */
import { expect, it } from 'vitest';
import { QUERY_PARAMETERS } from '../../../src/doc/openapi/operation/query.parameters.js';
import { FIELD_OPERATORS, FILTER_OPERATORS, spellingsOf } from '../../../src/filter/filter.ast.js';

it('the description of `filter` names all operators', () => {
  const { description = '' } = QUERY_PARAMETERS.filter;
  const names = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(
    [...spellingsOf(FILTER_OPERATORS), ...FIELD_OPERATORS, 'and', 'or', 'not'].toSorted(),
  );
  expect(description).toContain('`lte`, `gt` (also `ge`), `gte` (also `get`), `in`');
});

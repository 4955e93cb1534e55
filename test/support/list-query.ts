import type { ListQuery } from '../../src/filter/queries.js';
import { parseListQuery, urlQueryParameters } from '../../src/http/route/parse-list-query.js';
import { LIST_QUERY } from '../../src/http/route/query-names.js';
import { Faults } from '../../src/shared/errors.js';

/** The list query of a URL. @throws KindError 400 with all faults */
export function listQueryOf(url: string): ListQuery {
  const { query, faults } = parseListQuery(urlQueryParameters(url), LIST_QUERY);
  new Faults([...faults]).throwIfAny();
  return query;
}

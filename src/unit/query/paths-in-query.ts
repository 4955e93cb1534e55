/** The paths that a query names. Pure. */
import type { Path } from '../../filter/filter.ast.js';
import { parsePath } from '../../filter/filter.parser.js';
import { isLinkPath, pathsIn, pathsOf } from '../../filter/filter.walk.js';
import {
  isRelatedTerm,
  isSnippetTerm,
  parseRelatedTerm,
  parseSnippetTerm,
  rightsTermName,
} from '../../filter/include.parser.js';
import { ALL_FIELDS } from '../../filter/queries.js';
import { pathsOfOrder } from '../../filter/order.js';
import type { NamesInQuery } from '../../model/predicate/absent-parameter.js';
import { KindError } from '../../shared/errors.js';
import { filtersOfTerms, pathsOfTerms, type RelatingQuery } from './query-limits.js';

/** The paths that begin at the units of a query; undefined if one of its names cannot be parsed. */
export function pathsInQuery(query: RelatingQuery): Path[] | undefined {
  const { include = [] } = query;
  return parsed(() => [
    ...testedPaths(query),
    ...include.filter((name) => name !== ALL_FIELDS && !isRelatedTerm(name)).map((name) => parsePath(name)),
    ...include.filter(isSnippetTerm).map((text) => parseSnippetTerm(text).path),
  ]);
}

/** Those whose values the query tests, orders or adds up. */
function testedPaths({ filter, order = [], select = [], group = [] }: RelatingQuery): Path[] {
  return [
    ...[filter, ...filtersOfTerms(select)].flatMap((each) => (each ? pathsOf(each) : [])),
    ...order.flatMap(({ value }) => pathsOfOrder(value)),
    ...[...pathsOfTerms(select), ...group.map(({ path }) => path)].flatMap(pathsIn),
  ];
}

/** The names in a query; undefined if one cannot be parsed. */
export function namesInQuery(
  query: RelatingQuery & { readonly exclude?: readonly string[] | undefined },
): NamesInQuery | undefined {
  const { include = [], exclude = [] } = query;
  const paths = pathsInQuery(query);
  const given = parsed(() => include.filter(isRelatedTerm).map(nameOfTerm));
  if (!paths || !given) return undefined;
  const tested = testedPaths(query).filter(({ segments }) => !isLinkPath(segments));
  return {
    used: new Set([...rootsOf(paths), ...exclude]),
    tested: new Set(rootsOf(tested)),
    given: new Set(given),
  };
}

export function rootsOf(paths: readonly Path[]): string[] {
  return paths.flatMap(({ segments: [root] }) => root ?? []);
}

function nameOfTerm(text: string): string {
  return rightsTermName(text) ?? (isSnippetTerm(text) ? parseSnippetTerm(text) : parseRelatedTerm(text)).name;
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

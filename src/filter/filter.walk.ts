/** What a filter is about, in the order of the text: its tests, their parameters and values, the member's values it needs. */
import type { Filter, MemberRef, Path, Scalar, Test } from './filter.ast.js';

export function testsOf(filter: Filter): Test[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(testsOf);
    case 'not':
      return testsOf(filter.filter);
    default:
      return [filter];
  }
}

/** One path per test, the same one as often as it is tested. */
export function pathsOf(filter: Filter): Path[] {
  return testsOf(filter).map((test) => test.path);
}

/** The single values of a test: the elements of a list, none for `isnull`. */
export function testValues(test: Test): readonly (Scalar | MemberRef)[] {
  if (test.op === 'isnull') return [];
  return test.value.type === 'list' ? test.value.items : [test.value];
}

/** The names behind `@member.`, each once. */
export function memberNamesOf(filter: Filter): string[] {
  const references = testsOf(filter)
    .flatMap(testValues)
    .filter((value) => value.type === 'member');
  return [...new Set(references.map((reference) => reference.name))];
}

/** The tests of a filter, and their paths and values, in the order of the expression. */
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

/** The path of each test. */
export function pathsOf(filter: Filter): Path[] {
  return testsOf(filter).map((test) => test.path);
}

/** The values of a test: several for a list, none for `isnull`. */
export function testValues(test: Test): readonly (Scalar | MemberRef)[] {
  if (test.op === 'isnull') return [];
  return test.value.type === 'list' ? test.value.items : [test.value];
}

/** The parameters of the member that the filter uses, each once. */
export function memberNamesOf(filter: Filter): string[] {
  const references = testsOf(filter)
    .flatMap(testValues)
    .filter((value) => value.type === 'member');
  return [...new Set(references.map((reference) => reference.name))];
}

/** Parses the terms `snippet(text)` and `place:snippet(text)` of `include` (docs/search.md). It checks the syntax only. */
import { isIdentifier } from '../shared/identifiers.js';
import type { Path } from './filter.ast.js';
import { FilterParser } from './filter.parser.js';
import { checkSize, Scanner } from './filter.scanner.js';

const FUNCTION = 'snippet';

/** The part of a text in which the words of the search are. */
interface SnippetTerm {
  /** Its key in the answer: `snippet_text` unless it has one of its own. */
  readonly name: string;
  readonly path: Path;
}

export function isSnippetTerm(text: string): boolean {
  return /^(?:[^"(:]*:)?\s*snippet\s*\(/.test(text);
}

/** @throws KindError `filter.syntax`, with the position in the term */
export function parseSnippetTerm(text: string): SnippetTerm {
  checkSize(text);
  const scanner = new Scanner(text, ':');
  const filters = new FilterParser(scanner);
  return filters.whole(() => {
    const first = filters.word();
    const named = scanner.accept(':');
    if (named && !isIdentifier(first.word))
      throw scanner.fail('a name of lower-case letters, digits and _ before the colon', first.at);
    if (named) filters.word();
    scanner.expect('(');
    const path = filters.path();
    scanner.expect(')');
    return { name: named ? first.word : `${FUNCTION}_${path.segments.join('_')}`, path };
  }, 'term');
}

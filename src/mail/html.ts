/** HTML from fragments: the tag `html` escapes every text that is put in, so that no value becomes markup. Pure. */

export class Html {
  constructor(readonly text: string) {}
}

export function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = values.map(
    (value, at) => (value instanceof Html ? value.text : escaped(value)) + (strings[at + 1] ?? ''),
  );
  return new Html((strings[0] ?? '') + parts.join(''));
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

/** HTML templates: the tag `markup` escapes every inserted text, so that no value becomes markup. Pure. */

export class Markup {
  constructor(readonly text: string) {}
}

export function markup(strings: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const parts = values.map((value, at) => escapeHtml(value) + (strings[at + 1] ?? ''));
  return new Markup((strings[0] ?? '') + parts.join(''));
}

function escapeHtml(value: string | Markup): string {
  return value instanceof Markup
    ? value.text
    : value.replace(/[&<>"']/g, (character) => HTML_ENTITIES.get(character) ?? '');
}

const HTML_ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Values in filter expressions. */

/**
 * A filter expression with values put in as values, whatever they contain: never build one of texts of a client by hand.
 * A list stands for several values: it has one at least, because with none there is nothing to ask for.
 *
 * @throws TypeError where a list is empty
 * @example units('city').list({ filter: filter`and(eq(name,${name}),in(code,${codes}))` })
 */
export function filter(strings: TemplateStringsArray, ...values: readonly FilterValue[]): string {
  return strings.map((text, at) => text + (at < values.length ? quotedValue(values[at] as FilterValue) : '')).join('');
}

export type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

function quotedValue(value: FilterValue): string {
  if (Array.isArray(value) && value.length === 0)
    throw new TypeError('filter: a list of no values; no unit is one of them, so leave the question out');
  if (Array.isArray(value)) return value.map((each: string | number | boolean) => quotedValue(each)).join(',');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

/** Filter expressions with values. */

/**
 * Builds a filter expression in which every value is quoted, whatever it contains. Always use it for values that come
 * from clients. A list becomes comma-separated values, for `in`.
 *
 * @throws TypeError if a list is empty
 * @example units('city').list({ filter: filter`and(eq(name,${name}),in(code,${codes}))` })
 */
export function filter(strings: TemplateStringsArray, ...values: readonly FilterValue[]): string {
  return strings.map((text, at) => text + (at < values.length ? quotedValue(values[at] as FilterValue) : '')).join('');
}

/** A value in a filter expression. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

function quotedValue(value: FilterValue): string {
  if (Array.isArray(value) && value.length === 0)
    throw new TypeError('filter: a list of no values; no unit is one of them, so leave the question out');
  if (Array.isArray(value)) return value.map((each: string | number | boolean) => quotedValue(each)).join(',');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

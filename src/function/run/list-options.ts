/** The options of a function's list or aggregation as query parameters, which are validated like those of a request. */
import { checkOptions, checkText } from './argument-checks.js';
import { withoutBrackets, type QueryParameters } from '../../http/route/parse-list-query.js';
import type { AffectedOptions, AggregateOptions, ListOptions, UpsertOptions } from '../../kit/units.js';

/** An empty list of these would select nothing. It is refused, as in a URL. */
const SELECTIONS: readonly string[] = ['include', 'link_id', 'kind_id', 'by'];

/** @param call what the function called. @throws TypeError unless the options are an object */
export function optionParameters(
  options: ListOptions | AggregateOptions | UpsertOptions | AffectedOptions,
  call: string,
): QueryParameters {
  checkOptions(options, call);
  const parameters: [name: string, text: string][] = [];
  for (const [key, value] of Object.entries(options) as [string, unknown][]) {
    if (value === undefined) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const name = withoutBrackets(key.toWellFormed());
    for (const each of values.length === 0 && SELECTIONS.includes(key) ? [''] : values) {
      parameters.push([name, String(each).toWellFormed()]);
    }
  }
  return parameters;
}

/** The same for a write of all units that match a filter. @throws TypeError unless the filter is a string */
export function matchingParameters(filter: unknown, options: AffectedOptions, call: string): QueryParameters {
  checkText(filter, call, 'filter');
  checkOptions(options, call);
  return optionParameters({ ...options, filter } as AffectedOptions, call);
}

/** The same for an upsert, which edits units that exist unless the options say otherwise. */
export function upsertParameters(options: UpsertOptions, call: string): QueryParameters {
  checkOptions(options, call);
  return optionParameters({ ...options, on_conflict: options.on_conflict ?? 'update' }, call);
}

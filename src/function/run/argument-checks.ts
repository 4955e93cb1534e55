/**
 * Validates arguments of function authors at the call, so that the trace shows the line of the mistake. TypeScript
 * does this only where the types are known. Options of lists and aggregations become query parameters, which are validated
 * like those of a request.
 */
import type { LinkAllOptions, LinkTo } from '../../kit/context.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { withoutBrackets, type QueryParameters } from '../../http/route/parse-list-query.js';
import { WRITTEN_QUERY } from '../../http/route/query-names.js';
import type { AffectedOptions, AggregateOptions, ListOptions, UpsertOptions, WrittenOptions } from '../../kit/units.js';

/** @throws TypeError unless it is a string */
export function checkText(given: unknown, call: string, name: string): void {
  if (typeof given !== 'string') throw new TypeError(`${call}: ${name} must be a string, got ${typeName(given)}`);
}

/** @throws TypeError unless it is an object */
function checkOptions(given: unknown, call: string): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw new TypeError(`${call}: options must be an object, got ${typeName(given)}`);
}

function refuseUnknown(given: object, known: readonly string[], call: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const are = known.length === 1 ? 'is' : 'are';
  throw new TypeError(`${call}: there is no option '${unknown}'; there ${are} ${known.join(', ')}`);
}

/**
 * The value of an option that may be left out, but not be undefined: a condition that nobody set must not count as none.
 * @param others the options that may be beside it
 * @throws TypeError unless the options are an object with no other option, and the value is of the type
 */
export function checkedOption<T extends 'string' | 'boolean'>(
  given: unknown,
  call: string,
  name: string,
  type: T,
  others: readonly string[] = [],
): { string: string; boolean: boolean }[T] | undefined {
  if (given === undefined) return undefined;
  checkOptions(given, call);
  refuseUnknown(given as object, [name, ...others], call);
  const { [name]: value } = given as Record<string, unknown>;
  if (!Object.hasOwn(given as object, name) || typeof value === type) return value as never;
  throw new TypeError(`${call}: options.${name} must be a ${type}, got ${typeName(value)}`);
}

/** @throws TypeError unless it has the kind and the id of a unit */
export function checkUnit(given: unknown, call: string, name: string): void {
  const { kind_id, id } = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  if (typeof kind_id === 'string' && typeof id === 'string') return;
  const actual = isPlainObject(given) ? `kind_id ${typeName(kind_id)} and id ${typeName(id)}` : typeName(given);
  throw new TypeError(`${call}: ${name} must have a kind_id and an id, both strings; got ${actual}`);
}

/** @throws TypeError unless it is a list of links; undefined values count as absent */
export function checkedLinks(given: unknown, call: string): readonly LinkTo[] {
  if (!Array.isArray(given)) throw new TypeError(`${call}: links must be a list, got ${typeName(given)}`);
  return given.map((link: unknown, at): LinkTo => {
    if (!isPlainObject(link)) throw new TypeError(`${call}: links[${at}] must have a unit, got ${typeName(link)}`);
    const { unit, values = {} } = link;
    checkUnit(unit, call, `links[${at}].unit`);
    if (!isPlainObject(values)) {
      throw new TypeError(`${call}: links[${at}].values must be an object, got ${typeName(values)}`);
    }
    const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    return { unit: unit as LinkTo['unit'], values: present };
  });
}

/** @throws TypeError unless they are options of `links.createAll` */
export function checkedLinkOptions(given: unknown, call: string): LinkAllOptions {
  checkOptions(given, call);
  refuseUnknown(given as object, ['type', 'replace'], call);
  const { type, replace } = given as Record<string, unknown>;
  if (type !== undefined) checkText(type, call, 'options.type');
  if (replace !== undefined && typeof replace !== 'boolean') {
    throw new TypeError(`${call}: options.replace must be true or false, got ${typeName(replace)}`);
  }
  return given as LinkAllOptions;
}

/** @throws TypeError unless it has a name and a content */
export function checkNewFile(given: unknown, call: string): void {
  if (!isPlainObject(given)) throw new TypeError(`${call}: file must be an object, got ${typeName(given)}`);
  const { name, content, media_type } = given;
  checkText(name, call, 'file.name');
  if (media_type !== undefined) checkText(media_type, call, 'file.media_type');
  const isStream = typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
  if (typeof content === 'string' || content instanceof Uint8Array || isStream) return;
  throw new TypeError(`${call}: file.content must be a string, bytes or a stream, got ${typeName(content)}`);
}

/** For how long an address is to open. @throws TypeError unless it is a whole number in its limits, or left out */
export function checkedSeconds(given: unknown, call: string): number | undefined {
  if (given === undefined) return undefined;
  checkOptions(given, call);
  refuseUnknown(given as object, ['seconds'], call);
  const { seconds } = given as { readonly seconds?: unknown };
  if (seconds === undefined) return undefined;
  const most = LIMITS.fileUrlSecondsMax;
  if (Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= most) return Number(seconds);
  throw new TypeError(`${call}: options.seconds must be a whole number from 1 to ${most}`);
}

/** An empty list of these would select nothing. It is refused, as in a URL. */
const SELECTIONS: readonly string[] = ['include', 'link_id', 'kind_id', 'by'];

/** @param call what the function called. @throws TypeError unless the options are an object */
export function optionParameters(
  options: ListOptions | AggregateOptions | UpsertOptions | AffectedOptions | WrittenOptions,
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

/** What a write answers of its units (`WrittenOptions`). */
export const WRITTEN_OPTIONS: readonly string[] = WRITTEN_QUERY;

/** Those among options of a write, as query parameters. @throws TypeError unless the options are an object */
export function writtenParameters(options: WrittenOptions | undefined, call: string): QueryParameters {
  if (options === undefined) return [];
  checkOptions(options, call);
  const { include, nest } = options;
  return optionParameters({ ...(include && { include }), ...(nest !== undefined && { nest }) }, call);
}

/** The same for a create, which has no others. @throws TypeError for others */
export function createdParameters(options: WrittenOptions | undefined, call: string): QueryParameters {
  const parameters = writtenParameters(options, call);
  refuseUnknown(options ?? {}, WRITTEN_OPTIONS, call);
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

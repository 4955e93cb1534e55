/** The limits of fields that structs do not tell. Who may not read the definitions leaves them to the service. */
import type { QueryClient } from '@tanstack/react-query';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { parameterRecordId } from '../../../src/shared/identifiers.js';
import { getLimits } from '../api/definitions.js';
import { MEMBER_GROUP } from '../api/members.js';
import type { Field } from '../api/types.js';
import { getGroupStruct, getStruct } from '../api/units.js';
import { loadPatterns } from '../fields/patterns.js';
import { hasFiles, isBuiltIn, kindsQuery, TYPES_GROUP } from './known-kinds.js';

export async function fieldsOfKind(kind: string, queries: QueryClient): Promise<readonly Field[]> {
  const fields = await withLimits(getStruct(kind), () => [kind], queries);
  if (kind !== FILE_KIND || !hasFiles((await queries.fetchQuery(kindsQuery()))[0])) return fields;
  // Contents are uploaded.
  return fields.filter(({ id }) => id !== CONTENT_FIELD);
}

const CONTENT_FIELD = 'content';

export async function fieldsOfGroup(group: string, queries: QueryClient): Promise<readonly Field[]> {
  return withLimits(getGroupStruct(group), (kinds) => kinds.get(group) ?? [], queries);
}

/** The kinds of each group. */
type Groups = ReadonlyMap<string, readonly string[]>;

async function withLimits(
  struct: Promise<readonly Field[]>,
  kindsIn: (groups: Groups) => readonly string[],
  queries: QueryClient,
): Promise<readonly Field[]> {
  const [fields, limits] = await Promise.all([struct, limitsOf(kindsIn, queries).catch(() => undefined)]);
  if (!limits) return fields;
  const limited = fields.map((field) => (limits.has(field.id) ? { ...field, limits: limits.get(field.id) } : field));
  if (limited.some((field) => field.limits?.pattern)) await loadPatterns();
  return limited;
}

async function limitsOf(kindsIn: (groups: Groups) => readonly string[], queries: QueryClient) {
  const [kinds, groups] = await queries.fetchQuery(kindsQuery());
  const ids = kindsIn(new Map(groups.map(({ id, kind_list: members }) => [id, members])));
  // Who may not read groups may not read that of the parameters.
  if (!groups.some(({ id }) => id === TYPES_GROUP)) return undefined;
  // Fields of built-in kinds are no parameters of the project, which may have some of the same names.
  if (ids.some((id) => isBuiltIn(id, groups))) return undefined;
  const members = groups.find(({ id }) => id === MEMBER_GROUP)?.kind_list ?? [];
  const hasMembers = ids.some((id) => members.includes(id));
  const wanted = kinds.filter(({ id }) => ids.includes(id));
  const parameters = [...new Set(wanted.flatMap((kind) => kind.parameters))];
  const named = parameters.filter(
    (id) => !(hasMembers && MEMBER_FIELDS.has(id)) && !(ids.includes(FILE_KIND) && FILE_FIELDS.has(id)),
  );
  const own = wanted.flatMap((kind) => kind.parameters.map((id) => ({ id, ownKind: kind.id })));
  const limits = await getLimits([...named, ...own.map(parameterRecordId)]);
  return new Map([
    ...limits,
    ...own.flatMap((each) => ownLimits(each.id, limits.get(parameterRecordId(each)), wanted)),
  ]);
}

/** Of several kinds only the service knows which one a value is for. */
function ownLimits<T extends object>(id: string, own: T | undefined, kinds: readonly unknown[]): [string, T][] {
  if (!own) return [];
  return [[id, kinds.length === 1 ? own : ({} as T)]];
}

/** Fields that every member has, with limits of their own. */
const MEMBER_FIELDS: ReadonlySet<string> = new Set([
  'kind_system_user',
  'username',
  'email',
  'first_name',
  'last_name',
  'first_access_time',
  'last_access_time',
  'email_verified_at',
]);

/** The same of files. */
const FILE_FIELDS: ReadonlySet<string> = new Set(['name', CONTENT_FIELD, 'owner']);

/** Calls about definitions: kinds, parameters, groups and link types. All functions throw `ApiError`. */
import type { Changes } from '../../../src/model/changes.js';
import type { AccessEntry } from './access.js';
import { ApiError } from './errors.js';
import { session } from './session.js';
import type { FieldType, Limits, Page, Unit } from './types.js';
import { literal, MOST_IDS, partsOf } from './units.js';

interface Definition {
  readonly id: string;
  readonly label: string;
  /** The version that is edited: an edit that names another one is refused. */
  readonly updated_at: string;
}

export interface KindCheck {
  readonly id: string;
  readonly filter: string;
  readonly text: string;
}

export interface KindDefinition extends Definition {
  readonly active: boolean;
  readonly remote: boolean;
  readonly public: boolean;
  readonly parameters: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Null for those who may not see them. */
  readonly checks: readonly KindCheck[] | null;
  /** What is recorded of the changes of its units. */
  readonly changes: Changes;
  /** Days for which its history is kept; null for ever. */
  readonly history_keep: number | null;
}

export interface ParameterDefinition extends Definition {
  /** The type. */
  readonly kind_id: FieldType;
  readonly helper_text: string | null;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly multiple: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly is_primary: boolean;
  readonly reference_kind?: string;
  readonly on_delete?: string;
  readonly [setting: string]: unknown;
}

export interface GroupDefinition extends Definition {
  readonly description: string;
  readonly kind_list: readonly string[];
}

export interface LinkTypeDefinition extends Definition {
  readonly parameters: readonly string[];
}

/** What a definition is a unit of: `kind`, `group`, `link`, or a parameter type. */
export type DefinitionKind = 'kind' | 'group' | 'link' | FieldType;

/** What `dry_run=changes` answers (docs/writing.md). */
export interface ChangeEffects {
  readonly definitions: readonly {
    readonly definition: string;
    readonly id: string;
    readonly change: 'created' | 'changed' | 'deleted' | 'renamed';
    /** The former id of one that gets another. */
    readonly was?: string;
    readonly settings?: readonly string[];
    /** Before and after. */
    readonly access?: readonly unknown[];
    readonly read_access?: readonly unknown[];
    readonly write_access?: readonly unknown[];
  }[];
  /** For administrators: what others may do afterwards. */
  readonly access?: readonly AccessChange[];
  readonly more_access?: number;
  readonly tables: readonly TableStep[];
  readonly losses: readonly {
    readonly kind_id?: string;
    readonly link_id?: string;
    readonly parameter?: string;
    readonly units?: number | null;
    readonly links?: number | null;
    /** Of the history of its units. */
    readonly versions?: number | null;
  }[];
  readonly more_definitions?: number;
  readonly more_tables?: number;
}

/** About one of a kind, a link type or a field. */
export interface AccessChange extends Pick<AccessEntry, 'kind' | 'link_type' | 'field' | 'operation'> {
  /** Null if it is new. */
  readonly before: AccessRight | null;
  readonly after: AccessRight;
}

export type AccessRight = Pick<AccessEntry, 'who' | 'by_rule' | 'stranger' | 'stranger_writes'>;

export interface TableStep {
  readonly step: string;
  readonly table?: string;
  readonly column?: string;
  /** The new name. */
  readonly to?: string;
  readonly columns?: readonly string[];
  readonly type?: string;
  readonly index?: string;
  readonly constraint?: string;
  readonly sequence?: string;
  readonly check?: string;
  readonly target?: string;
  readonly unique?: boolean;
  readonly in_background?: boolean;
}

/** A create, an edit or a deletion of a definition. */
export interface DefinitionWrite {
  readonly of: DefinitionKind;
  /** Undefined for a create. */
  readonly id: string | undefined;
  /** Undefined for a deletion. */
  readonly body: object | undefined;
}

/** Parameters of all types. */
const PARAMETERS = ['group', 'parameter', 'unit'];
/** The most units in a page of a list. */
const MOST_UNITS = 1000;

export interface Definitions {
  readonly kinds: readonly KindDefinition[];
  readonly parameters: readonly ParameterDefinition[];
  readonly groups: readonly GroupDefinition[];
  readonly linkTypes: readonly LinkTypeDefinition[];
}

export async function getDefinitions(signal?: AbortSignal): Promise<Definitions> {
  const [kinds, parameters, groups, linkTypes] = await Promise.all([
    listAll<KindDefinition>(['kind', 'unit'], signal),
    listAll<ParameterDefinition>(PARAMETERS, signal),
    listAll<GroupDefinition>(['group', 'unit'], signal),
    listAll<LinkTypeDefinition>(['link', 'unit'], signal),
  ]);
  return { kinds, parameters, groups, linkTypes };
}

const LIMITS = ['nullable', 'unique', 'is_primary', 'min_value', 'max_value', 'scale', 'pattern'] as const;

type LimitsOfParameter = Limits & { readonly id: string };

/** The limits of parameters, by their ids. Parameters that are gone, or that the member may not read, are left out. */
export async function getLimits(ids: readonly string[]): Promise<ReadonlyMap<string, Limits>> {
  const pages = await Promise.all(
    partsOf(ids).map(async (part) => {
      const filter = `in(id,${part.map(literal).join(',')})`;
      const query = { filter, limit: String(MOST_IDS), count: 'none' };
      const read = (asked: object) =>
        session.call<Page<LimitsOfParameter>>({ path: PARAMETERS, query: { ...query, ...asked } });
      try {
        return await read({ include: ['id', ...LIMITS] });
      } catch (error) {
        // The names of settings that only types have which the member may not read are unknown.
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        return read({});
      }
    }),
  );
  return new Map(pages.flatMap(({ content }) => content.items.map((item) => [item.id, limitsIn(item)] as const)));
}

function limitsIn(parameter: Limits): Limits {
  return Object.fromEntries(LIMITS.map((name) => [name, parameter[name]])) as unknown as Limits;
}

/** What a change would do; nothing is stored. A change that is not possible at all is refused. */
export async function tryDefinition(write: DefinitionWrite): Promise<ChangeEffects> {
  const { changes } = await session.call(callOf(write, { dry_run: 'changes', ...cascadeOf(write) }));
  return changes as ChangeEffects;
}

/** @param loses whether values, units or links may be lost */
export async function writeDefinition(write: DefinitionWrite, loses: boolean): Promise<Unit | null> {
  const { content } = await session.call<Unit | null>(callOf(write, loses ? cascadeOf(write) : {}));
  return content;
}

/** Creates take no `cascade`: they lose nothing. */
function cascadeOf({ id }: DefinitionWrite): Readonly<Record<string, string>> {
  return id === undefined ? {} : { cascade: 'true' };
}

function callOf({ of, id, body }: DefinitionWrite, query: Readonly<Record<string, string>>) {
  if (id === undefined) return { method: 'POST' as const, path: [of, 'unit'], body, query };
  const path = [of, 'unit', id];
  return body === undefined
    ? { method: 'DELETE' as const, path, query }
    : { method: 'PUT' as const, path, body, query };
}

async function listAll<T>(path: readonly string[], signal: AbortSignal | undefined): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
    const query: Record<string, string> = { cursor, limit: String(MOST_UNITS), order: 'id;asc' };
    const { content }: { content: Page<T> } = await session.call<Page<T>>({ path, query, signal });
    items.push(...content.items);
    cursor = content.next;
  }
  return items;
}

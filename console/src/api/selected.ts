/** Writes of several units at once, by filters, and what goes along. All functions throw `ApiError`. */
import type { ChangeEffects } from './definitions.js';
import { ApiError } from './errors.js';
import { session } from './session.js';
import type { Page, Unit } from './types.js';
import { literal, partsOf } from './units.js';

/** Units of one kind that a filter selects. */
export interface Selection {
  readonly kind: string;
  readonly filter: string;
  /** If they are known: units of some kinds, such as administrators, are written one by one. */
  readonly ids?: readonly string[];
}

interface WriteByFilter {
  /** Everything is done, answered, and undone. */
  readonly dryRun?: boolean;
  /** The most units that are written. */
  readonly most?: number;
}

/** The most units that a write by filter may change. */
export const MOST_AFFECTED = 100_000;

/** Edits all units of these selections, or none. Answers how many they are. */
export async function updateSelected(
  selections: readonly Selection[],
  values: object,
  options?: WriteByFilter,
): Promise<number> {
  return sumOf((await writeSelected(selections, { method: 'PUT', body: values }, options)).counts);
}

/** Deletes all units of these selections, or none. Answers how many they are. */
export async function deleteSelected(selections: readonly Selection[], options?: WriteByFilter): Promise<number> {
  return sumOf((await writeSelected(selections, { method: 'DELETE' }, options)).counts);
}

/** What a deletion does to other units: they are deleted too, or lose the value of a parameter. */
export interface TakenAlong {
  readonly kind: string;
  readonly parameter?: string | undefined;
  /** Null if the member may not know it. */
  readonly units: number | null;
}

/** How many units would be deleted, and what goes along, over all steps. */
export async function tryDeletion(
  selections: readonly Selection[],
): Promise<{ readonly count: number; readonly along: readonly TakenAlong[] }> {
  const { counts, changes } = await writeSelected(selections, { method: 'DELETE' }, { tells: true });
  const own = new Map<string, number>();
  for (const [at, { kind }] of selections.entries()) own.set(kind, (own.get(kind) ?? 0) + (counts[at] ?? 0));
  const along = (changes?.losses ?? []).flatMap(({ kind_id: kind = '', parameter, units = null }): TakenAlong[] => {
    if (parameter !== undefined) return [{ kind, parameter, units }];
    if (units === null) return own.has(kind) ? [] : [{ kind, units }];
    const others = units - (own.get(kind) ?? 0);
    return others > 0 ? [{ kind, units: others }] : [];
  });
  return { count: sumOf(counts), along };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Written {
  /** By selection. */
  readonly counts: readonly number[];
  readonly changes: ChangeEffects | undefined;
}

type Write = { readonly method: 'PUT' | 'DELETE'; readonly body?: object };
type Trial = Readonly<Record<string, string>>;

async function writeSelected(
  selections: readonly Selection[],
  write: Write,
  { dryRun = false, tells = false, most = MOST_AFFECTED }: WriteByFilter & { readonly tells?: boolean } = {},
): Promise<Written> {
  const trial: Trial = tells ? { dry_run: 'changes' } : dryRun ? { dry_run: 'true' } : {};
  try {
    return await writeByFilter(selections, write, trial, most);
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.has('route.method') || error.has('kind.not_allowed_here'));
    if (!isRefused || selections.some(({ ids }) => ids === undefined)) throw error;
    return writeEach(selections, write, trial);
  }
}

async function writeByFilter(
  selections: readonly Selection[],
  write: Write,
  trial: Trial,
  most: number,
): Promise<Written> {
  const query = (filter: string) => ({ filter, max_affected: String(most) });
  const [only, ...others] = selections;
  if (only && others.length === 0) {
    const call = { ...write, path: [only.kind, 'unit'], query: { ...query(only.filter), ...trial } };
    const { content, changes } = await session.call<{ readonly count: number }>(call);
    return { counts: [content.count], changes: changes as ChangeEffects | undefined };
  }
  const paths = selections.map(({ kind, filter }) => `/${kind}/unit?${new URLSearchParams(query(filter)).toString()}`);
  const { items, changes } = await writeBatch<{ readonly count: number }>(paths, write, trial);
  return { counts: items.map(({ content: { count } }) => count), changes };
}

/** By the ids of the units. Sources of remote kinds cannot undo anything: their trial does nothing. */
async function writeEach(selections: readonly Selection[], write: Write, trial: Trial): Promise<Written> {
  const units = selections.flatMap(({ kind, ids = [] }) => ids.map((id) => ({ kind, id })));
  const counts = selections.map(({ ids = [] }) => ids.length);
  const [only, ...others] = units;
  if (!only || others.length > 0) {
    const paths = units.map(({ kind, id }) => `/${kind}/unit/${encodeURIComponent(id)}`);
    const { changes } = await writeBatch(paths, write, trial);
    return { counts, changes };
  }
  try {
    const { changes } = await session.call({ ...write, path: [only.kind, 'unit', only.id], query: trial });
    return { counts, changes: changes as ChangeEffects | undefined };
  } catch (error) {
    if ('dry_run' in trial && error instanceof ApiError && error.has('query.unknown')) {
      return { counts, changes: undefined };
    }
    throw error;
  }
}

/** Writes to all of these paths, or none. */
async function writeBatch<T>(paths: readonly string[], write: Write, query: Trial) {
  const operations = paths.map((path) => ({ ...write, path }));
  const { content, changes } = await session.call<Page<{ readonly content: T }>>({
    method: 'POST',
    path: ['batch'],
    body: { operations },
    query,
  });
  return { items: content.items, changes: changes as ChangeEffects | undefined };
}

/** Units as filters, one or more for each kind. */
export function selectionsOf(units: readonly Pick<Unit, 'kind_id' | 'id'>[]): readonly Selection[] {
  const byKind = new Map<string, string[]>();
  for (const { kind_id: kind, id } of units) byKind.set(kind, [...(byKind.get(kind) ?? []), id]);
  return [...byKind].flatMap(([kind, ids]) =>
    partsOf(ids).map((part) => ({ kind, filter: `in(id,${part.map(literal).join(',')})`, ids: part })),
  );
}

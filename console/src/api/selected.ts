/** Writes of several units at once, by filters, and what refers to them. All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';
import { listKinds, literal, MOST_UNITS, partsOf } from './units.js';

/** Units of one kind that a filter selects. */
export interface Selection {
  readonly kind: string;
  readonly filter: string;
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
export function updateSelected(
  selections: readonly Selection[],
  values: object,
  options?: WriteByFilter,
): Promise<number> {
  return writeSelected(selections, { method: 'PUT', body: values }, options);
}

/** Deletes all units of these selections, or none. Answers how many they are. */
export function deleteSelected(selections: readonly Selection[], options?: WriteByFilter): Promise<number> {
  return writeSelected(selections, { method: 'DELETE' }, options);
}

async function writeSelected(
  selections: readonly Selection[],
  write: { readonly method: 'PUT' | 'DELETE'; readonly body?: object },
  { dryRun = false, most = MOST_AFFECTED }: WriteByFilter = {},
): Promise<number> {
  const query = (filter: string) => ({ filter, max_affected: String(most) });
  const trial = dryRun ? { dry_run: 'true' } : {};
  const [only, ...others] = selections;
  if (only && others.length === 0) {
    const call = { ...write, path: [only.kind, 'unit'], query: { ...query(only.filter), ...trial } };
    return (await session.call<{ readonly count: number }>(call)).content.count;
  }
  const operations = selections.map(({ kind, filter }) => ({
    ...write,
    path: `/${kind}/unit?${new URLSearchParams(query(filter)).toString()}`,
  }));
  const { content } = await session.call<Page<{ readonly content: { readonly count: number } }>>({
    method: 'POST',
    path: ['batch'],
    body: { operations },
    query: trial,
  });
  return content.items.reduce((sum, { content: { count } }) => sum + count, 0);
}

/** Units as filters, one or more for each kind. */
export function selectionsOf(units: readonly Pick<Unit, 'kind_id' | 'id'>[]): readonly Selection[] {
  const byKind = new Map<string, string[]>();
  for (const { kind_id: kind, id } of units) byKind.set(kind, [...(byKind.get(kind) ?? []), id]);
  return [...byKind].flatMap(([kind, ids]) =>
    partsOf(ids).map((part) => ({ kind, filter: `in(id,${part.map(literal).join(',')})` })),
  );
}

interface Reference {
  /** The kind that is referred to. */
  readonly target: string;
  /** The kind of the units that refer to it. */
  readonly kind: string;
  readonly label: string;
  readonly parameter: string;
  readonly rule: 'cascade' | 'set_null' | 'restrict';
}

/** The parameters that refer to units of these kinds, of all kinds that have them. */
export async function listReferences(kinds: readonly string[]): Promise<readonly Reference[]> {
  const filter = `in(reference_kind,${kinds.map(literal).join(',')})`;
  const query = { filter, limit: String(MOST_UNITS), include: ['id', 'reference_kind', 'on_delete'] };
  const [{ content }, all] = await Promise.all([
    session.call<Page<Unit & { reference_kind: string; on_delete: Reference['rule'] | null }>>({
      path: ['unit', 'unit'],
      query,
    }),
    listKinds(),
  ]);
  return content.items.flatMap(({ id, reference_kind: target, on_delete: rule }) =>
    all
      .filter(({ parameters }) => parameters.includes(id))
      .map(({ id: kind, label }) => ({ target, kind, label, parameter: id, rule: rule ?? 'restrict' })),
  );
}

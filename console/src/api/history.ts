/** Calls about the history of units. All functions throw `ApiError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';

export interface UnitVersion {
  readonly version: number;
  readonly at: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly member: string | null;
  readonly member_kind: string | null;
  readonly via: string;
  /** The values before and after, by parameter. */
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  readonly erased?: true;
}

export interface Reverted {
  readonly unit: Unit;
  /** What was not put back. */
  readonly left_out: readonly { readonly parameter: string; readonly code: string }[];
}

const VERSIONS = 20;

/** Versions of a unit, the newest first. */
export async function listVersions(
  kind: string,
  id: string,
  cursor: string,
  signal: AbortSignal,
): Promise<Page<UnitVersion>> {
  const query = { cursor, limit: String(VERSIONS), count: 'none' };
  return (await session.call<Page<UnitVersion>>({ path: [kind, 'unit', id, 'history'], query, signal })).content;
}

export async function revertUnit(kind: string, id: string, version: number): Promise<Reverted> {
  const path = [kind, 'unit', id, 'revert'];
  return (await session.call<Reverted>({ method: 'POST', path, body: { version } })).content;
}

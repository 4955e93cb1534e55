/** Who may do what in the project. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getAccessReport, type AccessEntry, type AccessReport } from '../api/access.js';

/** By operation. */
export type Entries = ReadonlyMap<string, AccessEntry>;

export interface Report extends Omit<AccessReport, 'access'> {
  readonly kinds: ReadonlyMap<string, Entries>;
  readonly linkTypes: ReadonlyMap<string, Entries>;
  readonly fields: ReadonlyMap<string, Entries>;
  readonly functions: ReadonlyMap<string, Entries>;
  readonly endpoints: ReadonlyMap<string, Entries>;
  /** With what strangers may write. */
  readonly written: readonly AccessEntry[];
  /** The same where that is accepted. */
  readonly accepted: readonly AccessEntry[];
}

export function useReport() {
  const { data, error, refetch } = useQuery({
    queryKey: ['access-report'],
    queryFn: ({ signal }) => getAccessReport(signal),
    retry: false,
  });
  const report = useMemo(() => (data ? reportOf(data) : undefined), [data]);
  return { report, error, refetch };
}

function reportOf({ access, ...rest }: AccessReport): Report {
  return {
    ...rest,
    kinds: byName(access, 'kind'),
    linkTypes: byName(access, 'link_type'),
    fields: byName(access, 'field'),
    functions: byName(access, 'function'),
    endpoints: byName(access, 'endpoint'),
    written: access.filter((entry) => entry.stranger_writes && entry.accepted === null),
    accepted: access.filter((entry) => entry.stranger_writes && entry.accepted !== null),
  };
}

function byName(
  access: readonly AccessEntry[],
  of: 'kind' | 'link_type' | 'field' | 'function' | 'endpoint',
): ReadonlyMap<string, Entries> {
  const found = new Map<string, Map<string, AccessEntry>>();
  for (const entry of access) {
    const name = entry[of];
    if (name === undefined) continue;
    found.set(name, (found.get(name) ?? new Map<string, AccessEntry>()).set(entry.operation, entry));
  }
  return found;
}

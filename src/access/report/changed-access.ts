/** What a change of definitions does to who may do what, by the report of access. Pure. */
import type { Model } from '../../model/model.js';
import { accessReport, isStrangersWrite, type ReportedAccess } from './access-report.js';
import { REPORTED_NAMES } from './report-json.js';

/** A change can concern thousands of operations; so many are shown, the most open first. */
const MOST = 200;

type Shown = Readonly<Record<string, string | boolean>>;
type ChangedEntry = Readonly<Record<string, string | Shown | null>>;

export interface ChangedAccess {
  readonly changes: readonly ChangedEntry[];
  /** How many others there are. */
  readonly more: number;
}

/** The operations that others may do after a change, without what is gone. Custom functions are not told. */
export function changedAccess(before: Model, after: Model): ChangedAccess {
  const former = new Map(accessReport(before, [], { builtIn: true }).entries.map((entry) => [keyOf(entry), entry]));
  const changes = accessReport(after, [], { builtIn: true }).entries.flatMap((entry): ChangedEntry[] => {
    const known = former.get(keyOf(entry));
    const [was, now] = [known && shown(known), shown(entry)];
    if (was && JSON.stringify(was) === JSON.stringify(now)) return [];
    return [{ [REPORTED_NAMES[entry.on]]: entry.id, operation: entry.operation, before: was ?? null, after: now }];
  });
  return { changes: changes.slice(0, MOST), more: Math.max(0, changes.length - MOST) };
}

function keyOf({ on, id, operation }: ReportedAccess): string {
  return `${on} ${id} ${operation}`;
}

function shown(entry: ReportedAccess): Shown {
  const { audience, byRule, stranger } = entry;
  return { who: audience, by_rule: byRule, stranger, stranger_writes: isStrangersWrite(entry) };
}

import type { Model } from '../model/model.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { accessReport, type AccessReport, isStrangersWrite, type ReportedAccess } from './report.js';

/** A change can concern thousands of operations; so many are shown, the most open first. */
const MOST = 200;
const ENTRIES_PER_PIECE = 500;

type Shown = Readonly<Record<string, string | boolean>>;
type ChangedEntry = Readonly<Record<string, string | Shown | null>>;

interface ChangedAccess {
  readonly changes: readonly ChangedEntry[];
  /** How many others there are. */
  readonly more: number;
}

/** The operations that others may do after a change, without what is gone. Custom functions are not told. In pieces. */
export function* changedAccess(before: Model, after: Model): WorkInPieces<ChangedAccess> {
  const former = yield* accessReport(before, {}, { builtIn: true });
  const known = new Map(former.entries.map((entry) => [keyOf(entry), entry]));
  const { entries } = yield* accessReport(after, {}, { builtIn: true });
  const changes: ChangedEntry[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at % ENTRIES_PER_PIECE === 0) yield;
    const same = known.get(keyOf(entry));
    const [was, now] = [same && shown(same), shown(entry)];
    if (was && JSON.stringify(was) === JSON.stringify(now)) continue;
    changes.push({ [REPORTED_NAMES[entry.on]]: entry.id, operation: entry.operation, before: was ?? null, after: now });
  }
  return { changes: changes.slice(0, MOST), more: Math.max(0, changes.length - MOST) };
}

function keyOf({ on, id, operation }: ReportedAccess): string {
  return `${on} ${id} ${operation}`;
}

function shown(entry: ReportedAccess): Shown {
  const { audience, byRule, stranger } = entry;
  return { who: audience, by_rule: byRule, stranger, stranger_writes: isStrangersWrite(entry) };
}

/** The name of what an entry is about. */
const REPORTED_NAMES = {
  units: 'kind',
  links: 'link_type',
  function: 'function',
  endpoint: 'endpoint',
  field: 'field',
} as const;

export function reportJson({ signUp, entries }: AccessReport, { accessDefault }: Pick<Model, 'accessDefault'>) {
  return {
    access_default: accessDefault,
    sign_up: signUp,
    stranger_may_write: entries.some(isStrangersWrite),
    access: entries.map((entry) => ({
      [REPORTED_NAMES[entry.on]]: entry.id,
      operation: entry.operation,
      level: entry.level,
      rules: entry.rules,
      stored: entry.stored,
      who: entry.audience,
      by_rule: entry.byRule,
      stranger: entry.stranger,
      stranger_writes: isStrangersWrite(entry),
      accepted: entry.accepted ?? null,
    })),
  };
}

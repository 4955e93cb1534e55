/** The locks that a run takes before its snapshot: units, or the whole tables that contain them. Immutable. */
import type { Statement } from '../../sql/fragment.js';
import { lockTablesStatement, lockUnitsStatement, type LockedUnits } from '../../sql/lock.sql.js';
import type { ContentionTarget } from './contention.js';

/** Maximum of units of one table that are locked individually; beyond it, the run queues for the table. */
const MAX_LOCKED_UNITS = 100;

/** By table. All tables are in one schema. */
type TableLocks = ReadonlyMap<string, LockedUnits | undefined>;

export class Locks {
  static readonly none = new Locks('', new Map(), false);

  private constructor(
    private readonly schema: string,
    private readonly tables: TableLocks,
    /** Whether the tables themselves are locked. */
    readonly whole: boolean,
  ) {}

  get any(): boolean {
    return this.tables.size > 0;
  }

  /** Number of units of all tables. */
  get size(): number {
    return [...this.tables.values()].reduce((sum, units) => sum + (units?.keys.length ?? 0), 0);
  }

  with({ schema, table, units }: ContentionTarget): Locks {
    const known = this.tables.get(table);
    return new Locks(schema, new Map([...this.tables, [table, units ? mergeUnits(units, known) : known]]), this.whole);
  }

  /** Merged with other locks of the same schema. */
  and({ schema, tables }: Locks): Locks {
    const more = [...tables].map(([table, units]) => ({ schema, table, ...(units && { units }) }));
    return more.reduce<Locks>((locks, each) => locks.with(each), this);
  }

  /** Locks on the whole tables, if there are any, because locking single units failed repeatedly. */
  ofTables(): Locks {
    return this.any ? new Locks(this.schema, this.tables, true) : this;
  }

  /** Names to queue for, in a fixed order that prevents deadlocks. */
  get names(): readonly string[] {
    return this.#sorted.flatMap(([table, units]) => {
      const name = `${this.schema}.${table}`;
      if (!units) return [];
      return units.keys.length > MAX_LOCKED_UNITS ? [name] : units.keys.map((key) => `${name} ${key}`).sort();
    });
  }

  /** The statements that take the locks, in the same order. */
  get statements(): readonly Statement[] {
    const tables = this.#sorted;
    if (tables.length === 0) return [];
    if (this.whole)
      return [
        lockTablesStatement(
          this.schema,
          tables.map(([table]) => table),
        ),
      ];
    return tables.flatMap(([, units]) =>
      units && units.keys.length <= MAX_LOCKED_UNITS ? [lockUnitsStatement(units)] : [],
    );
  }

  get #sorted(): (readonly [string, LockedUnits | undefined])[] {
    return [...this.tables].sort(([one], [other]) => (one < other ? -1 : 1));
  }
}

function mergeUnits(units: LockedUnits, known: LockedUnits | undefined): LockedUnits {
  if (!known) return units;
  return {
    ...units,
    keys: [...new Set([...known.keys, ...units.keys])],
    forDelete: units.forDelete || known.forDelete,
  };
}

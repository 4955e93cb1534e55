/** What a run locks before it sees anything: units, or the whole tables that they are in. A value. */
import type { Statement } from '../../sql/fragment.js';
import { lockTablesStatement, lockUnitsStatement, type LockedUnits } from '../../sql/lock.sql.js';
import type { ContentionTarget } from './contention.js';

/** Units of one table that are locked one by one: where there are more, the turn is that of the table. */
const UNITS = 100;

/** By the name of the table. All of them are of one schema. */
type Tables = ReadonlyMap<string, LockedUnits | undefined>;

export class Locks {
  static readonly none = new Locks('', new Map(), false);

  private constructor(
    private readonly schema: string,
    private readonly tables: Tables,
    /** Whether it is the tables themselves. */
    readonly whole: boolean,
  ) {}

  get any(): boolean {
    return this.tables.size > 0;
  }

  /** Units, of all tables. */
  get size(): number {
    return [...this.tables.values()].reduce((sum, units) => sum + (units?.keys.length ?? 0), 0);
  }

  with({ schema, table, units }: ContentionTarget): Locks {
    const known = this.tables.get(table);
    return new Locks(schema, new Map([...this.tables, [table, units ? together(units, known) : known]]), this.whole);
  }

  /** With those of others of the same schema. */
  and({ schema, tables }: Locks): Locks {
    const more = [...tables].map(([table, units]) => ({ schema, table, ...(units && { units }) }));
    return more.reduce<Locks>((locks, each) => locks.with(each), this);
  }

  /** The tables themselves, where there are some: their units could not be had one by one. */
  ofTables(): Locks {
    return this.any ? new Locks(this.schema, this.tables, true) : this;
  }

  /** For waiting in turn, in an order that is everybody's. */
  get names(): readonly string[] {
    return this.#sorted.flatMap(([table, units]) => {
      const name = `${this.schema}.${table}`;
      if (!units) return [];
      return units.keys.length > UNITS ? [name] : units.keys.map((key) => `${name} ${key}`).sort();
    });
  }

  /** In the same order. */
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
    return tables.flatMap(([, units]) => (units && units.keys.length <= UNITS ? [lockUnitsStatement(units)] : []));
  }

  get #sorted(): (readonly [string, LockedUnits | undefined])[] {
    return [...this.tables].sort(([one], [other]) => (one < other ? -1 : 1));
  }
}

function together(units: LockedUnits, known: LockedUnits | undefined): LockedUnits {
  if (!known) return units;
  return {
    ...units,
    keys: [...new Set([...known.keys, ...units.keys])],
    forDelete: units.forDelete || known.forDelete,
  };
}

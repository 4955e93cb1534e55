/** Who sees what of recorded changes, implemented a second time as simply as possible: over records in memory. */
import type { Filter } from '../../../src/filter/filter.ast.js';
import { canonical, type Json, type NaiveKind, type UnitRecord } from '../../support/naive-filter.js';
import { may, type NaiveAccess, type NaiveCaller } from '../../support/naive-rules.js';

/** Of the kind `paper`. What is hidden is in rules alone. */
export const PAPER: NaiveKind = new Map([
  ['id', { type: 'unit' }],
  ['a_text', { type: 'string' }],
  ['a_num', { type: 'integer' }],
  ['a_flag', { type: 'boolean' }],
  ['owner', { type: 'string' }],
  ['place', { type: 'unit' }],
  ['place.open', { type: 'boolean' }],
  ['m_one', { type: 'string' }],
  ['m_two', { type: 'integer' }],
  ['m_admin', { type: 'string' }],
  ['h_code', { type: 'string' }],
]);
/** What answers have, beside the id. */
export const SHOWN = ['a_text', 'a_num', 'a_flag', 'owner', 'place', 'm_one', 'm_two', 'm_admin'] as const;

export interface Rules {
  readonly read: NaiveAccess;
  readonly history: NaiveAccess;
  /** By parameter: who may read it; all others are for everybody. */
  readonly masks: Readonly<Record<string, NaiveAccess>>;
}

export interface Recorded {
  readonly operation: 'create' | 'update' | 'delete' | 'link' | 'unlink';
  readonly id: string;
  readonly before?: UnitRecord;
  readonly after?: UnitRecord;
  /** Of a link, whose children are readable for everybody. */
  readonly child?: string;
  /** As the administrator is told it. */
  version: number;
}

/** What there is now. */
export interface Present {
  /** Units by id, also deleted ones as they were last. */
  readonly papers: ReadonlyMap<
    string,
    { readonly unit: UnitRecord; readonly version: number; readonly there: boolean }
  >;
  /** Which places are open. */
  readonly open: ReadonlyMap<string, boolean>;
}

/** For whom a filter is what a rule without values of the member is. */
const ANY_MEMBER: NaiveCaller = { member: {} };

interface Version {
  readonly version: number;
  readonly operation: string;
  readonly changes: Shown;
}

type Shown = Readonly<Record<string, unknown>>;

export class Sight {
  constructor(
    private readonly present: Present,
    private readonly rules: Rules,
    private readonly caller: NaiveCaller,
  ) {}

  /** An event as the feed answers it; undefined for nothing. */
  event({ operation, id, before, after, child, version }: Recorded, filter: Filter | undefined): Shown | undefined {
    const now = this.present.papers.get(id);
    if (!now) return undefined;
    const isIn = (unit: UnitRecord | undefined): unit is UnitRecord => unit !== undefined && this.#isIn(unit, filter);
    const head = { unit_id: id, version };
    if (child !== undefined) {
      return now.there && isIn(now.unit)
        ? { ...head, operation, child, tells: this.#isTold(this.#tells(now.unit)) }
        : undefined;
    }
    if (isIn(after)) {
      if (!this.#reads(now.unit)) return undefined;
      const seen = operation === 'create' ? 'create' : isIn(before) ? 'update' : 'enter';
      const tells = this.#tells(now.unit, after);
      return {
        ...head,
        operation: seen,
        tells: this.#isTold(tells),
        unit: now.there ? this.shown(now.unit) : null,
        ...(now.there && { unit_version: now.version }),
        ...(tells && seen !== 'enter' && { changes: this.#changes(now.unit, before, after) }),
      };
    }
    if (!isIn(before)) return undefined;
    return {
      ...head,
      operation: operation === 'delete' ? 'delete' : 'leave',
      tells: this.#isTold(this.#tells(before)),
    };
  }

  /** An event as the history answers it; undefined for nothing. */
  version({ operation, id, before, after, child, version }: Recorded): Version | undefined {
    const now = this.present.papers.get(id)?.unit;
    const then = after ?? before;
    if (!now || !then || child !== undefined || !this.#knows(now) || !this.#knows(then)) return undefined;
    return { version, operation, changes: this.#changes(now, before, after) };
  }

  /** The unit after an event; undefined for nothing. */
  past({ id, after }: Recorded): Shown | undefined {
    const now = this.present.papers.get(id)?.unit;
    if (!now || !after || !this.#knows(now) || !this.#knows(after)) return undefined;
    const names = SHOWN.filter((name) => this.#shows(now, name));
    return this.shown(after, names);
  }

  /** What a list answers. */
  list(filter: Filter | undefined): Shown[] {
    const units = [...this.present.papers.values()].filter(({ unit, there }) => there && this.#isIn(unit, filter));
    return units.map(({ unit }) => this.shown(unit));
  }

  /** Whether a filter may name a parameter: only if the caller is shown it in every unit. */
  mayName(name: string): boolean {
    const access = this.rules.masks[name] ?? 'anyone';
    return this.caller.admin === true || (typeof access === 'string' && may(access, this.caller, {}, PAPER));
  }

  shown(unit: UnitRecord, names: readonly string[] = SHOWN): Shown {
    const fields = names.filter((name) => this.#shows(unit, name)).map((name) => [name, unit[name] ?? null] as const);
    return { id: unit['id'], ...Object.fromEntries(fields) };
  }

  #passes(access: NaiveAccess, unit: UnitRecord): boolean {
    return may(access, this.caller, this.#whole(unit), PAPER);
  }

  /** With what it refers to, as that is now. */
  #whole(unit: UnitRecord): UnitRecord {
    const { place = null } = unit;
    return { ...unit, 'place.open': place === null ? null : (this.present.open.get(place as string) ?? null) };
  }

  #reads(unit: UnitRecord): boolean {
    return this.#passes(this.rules.read, unit);
  }

  #isIn(unit: UnitRecord, filter: Filter | undefined): boolean {
    return this.#reads(unit) && (!filter || may([filter], ANY_MEMBER, this.#whole(unit), PAPER));
  }

  #tells(...units: readonly UnitRecord[]): boolean {
    return units.every((unit) => this.#passes(this.rules.history, unit));
  }

  /** Who wrote, and how; all was written by the administrator, who is told of its own writes. */
  #isTold(tells: boolean): boolean {
    return tells || this.caller.admin === true;
  }

  #knows(unit: UnitRecord): boolean {
    return this.#reads(unit) && this.#tells(unit);
  }

  #shows(unit: UnitRecord, name: string): boolean {
    return this.#passes(this.rules.masks[name] ?? 'anyone', unit);
  }

  /** Of each parameter that differs, the values that were shown, where one was. */
  #changes(now: UnitRecord, before: UnitRecord | undefined, after: UnitRecord | undefined): Shown {
    if (before && !this.#knows(before)) return {};
    const entries = SHOWN.flatMap((name) => {
      const values = [before, after].map((unit) => unit?.[name] ?? null) as [Json, Json];
      if (canonical(values[0]) === canonical(values[1]) || !this.#shows(now, name)) return [];
      const shows = [before, after].map((unit) => unit !== undefined && this.#shows(unit, name));
      return shows.includes(true) ? [[name, values.map((value, at) => (shows[at] ? value : null))] as const] : [];
    });
    return Object.fromEntries(entries);
  }
}

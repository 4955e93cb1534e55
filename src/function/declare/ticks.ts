/** The times of a schedule: five fields in a time zone, whose next time the library `croner` tells. Pure. */
import { Cron } from 'croner';

/** What a function declares as `schedule`. */
interface Schedule {
  readonly cron: string;
  readonly timezone: string;
}

export const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A number or a name. */
const VALUE = String.raw`(?:\d{1,2}|[A-Za-z]{3})`;
const PART = String.raw`(?:(?:\*|${VALUE}-${VALUE})(?:/\d{1,2})?|${VALUE})`;
/** The library knows more: `@daily`, seconds, `L`, `W`, `#` and `?`. */
const FIELD = new RegExp(`^${PART}(?:,${PART})*$`);
const HINT = 'wants five fields: minute, hour, day, month and weekday, with *, lists, ranges, / and names';

export class Ticks {
  readonly #cron: Cron;

  private constructor(readonly schedule: Schedule) {
    this.#cron = cronOf(schedule);
  }

  /** @throws TypeError with what is wrong */
  static of(schedule: Schedule): Ticks {
    const { cron, timezone } = schedule;
    const fields = cron.split(' ');
    if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) {
      throw new TypeError(`'${cron.slice(0, 60)}' ${HINT}`);
    }
    if (!isTimeZone(timezone)) throw new TypeError(`no time zone '${timezone.slice(0, 60)}', such as Europe/Rome`);
    try {
      const ticks = new Ticks(schedule);
      ticks.after(Date.now());
      return ticks;
    } catch (error) {
      throw new TypeError(`'${cron}': ${(error as Error).message.replace(/^Cron\w+: /, '')}`, { cause: error });
    }
  }

  /** The first tick after a time, in milliseconds. @throws TypeError if none ever comes */
  after(time: number): number {
    const next = this.#cron.nextRun(new Date(time));
    if (!next) throw new TypeError('no such day ever comes');
    return next.getTime();
  }

  /** The latest tick of the last 24 hours before `now` that is not before `from`; undefined if there is none. */
  latest(from: number, now: number): number | undefined {
    let found = this.#until(Math.max(from - 1, now - DAY), now);
    // Halves the time after the latest one known, as asking for each tick of a day would take a second.
    for (let end = now; found !== undefined && end - found >= MINUTE;) {
      const middle = (found + end) / 2;
      const later = this.#until(middle, now);
      if (later === undefined) end = middle;
      else found = later;
    }
    return found;
  }

  /** The ticks after one time up to another, oldest first. */
  between(after: number, until: number, most: number): number[] {
    const ticks: number[] = [];
    for (let tick = this.#until(after, until); tick !== undefined && ticks.length < most;) {
      ticks.push(tick);
      tick = this.#until(tick, until);
    }
    return ticks;
  }

  #until(time: number, until: number): number | undefined {
    const tick = this.after(time);
    return tick <= until ? tick : undefined;
  }
}

function cronOf({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { mode: '5-part', timezone, paused: true });
}

function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions() !== undefined;
  } catch {
    return false;
  }
}

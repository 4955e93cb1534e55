/** What is known of one live list, and when its page has to be read again. It does not know which units are in it. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../shared/limits.js';
import type { JudgedRow, LivePageRow, LivePosition } from '../../sql/changes/live.sql.js';
import type { Cohort } from './cohorts.js';
import type { AskedList } from './live.plan.js';
import type { LiveStream } from './live-stream.js';
import type { LookedAt } from './looked-at.js';

/** Milliseconds without a further change, after which a page is read again; and at the latest. */
const [QUIET, LATEST] = [1000, 2500];
/** Milliseconds between two pages. */
const PAGES_APART = 2000;

/** A query as a model and the rights of its caller have planned it. */
export interface Planned {
  /** The version of the model. */
  readonly version: number;
  readonly kindId: string;
  readonly looksAt: LookedAt;
  readonly cohort: Cohort;
  /** The values in which it differs from others of its cohort. */
  readonly values: readonly (string | null)[];
}

export class LiveQuery {
  /** Undefined until it is planned, and where it has to be planned again. */
  planned: Planned | undefined;
  /** Whether its page is being read, so that it is sent nothing else. */
  reading = false;
  #position: LivePosition;
  #hash: string;
  #pageAt = performance.now();
  /** Whether something was sent since the page. */
  #changed = false;
  #doubt: { readonly since: number; last: number } | undefined;
  /** Whether something was not sent, so that the page is sent whatever it has; when. */
  #missed: number | undefined;
  /** Whether its reader was too slow, so that changes may have been passed over. */
  #late = false;

  constructor(
    readonly stream: LiveStream,
    readonly asked: AskedList,
    page: LivePageRow,
  ) {
    [this.#position, this.#hash] = [positionOf(page), hashOf(page)];
  }

  /** What was sent has all that a snapshot at that position had. */
  get position(): LivePosition {
    return this.#position;
  }

  /** Whether changes are sent one by one at present. */
  get follows(): boolean {
    return !this.reading && !this.#late && this.#missed === undefined && !this.stream.isBehind && !this.stream.hasEnded;
  }

  /** Everything up to there was sent, or did not matter. */
  moveTo(position: LivePosition): void {
    this.#position = position;
  }

  /** Something has changed that the list looks at. */
  doubt(): void {
    const now = performance.now();
    this.#doubt ??= { since: now, last: now };
    this.#doubt.last = now;
  }

  /** Changes are not sent: the page is sent in their place. */
  miss(): void {
    this.#missed ??= performance.now();
  }

  /** Its reader, which was too slow, reads on. */
  readOn(): void {
    this.#late = true;
  }

  /** When the page is to be read again, as `performance.now()` tells it. */
  get dueAt(): number {
    if (this.reading || this.stream.isBehind || this.stream.hasEnded) return Infinity;
    const doubt = this.#doubt ? Math.min(this.#doubt.last + QUIET, this.#doubt.since + LATEST) : Infinity;
    const now = this.#late ? 0 : (this.#missed ?? Infinity);
    // No change tells that time has passed.
    const regular = this.planned?.looksAt.hasMoment ? this.#pageAt + LIMITS.liveReadSeconds * 1000 : Infinity;
    return Math.max(Math.min(doubt, now, regular), this.#pageAt + PAGES_APART);
  }

  /** The page is being read. What changes from now on counts anew. */
  beginPage(): void {
    this.reading = true;
    this.#doubt = undefined;
    this.#late = false;
    this.#pageAt = performance.now();
  }

  /** The page could not be read. */
  failPage(): void {
    this.reading = false;
    this.miss();
  }

  sendPage(page: LivePageRow): void {
    this.reading = false;
    const hash = hashOf(page);
    // Where the page is the same, what is to be sent since the last position is still to be sent.
    if (this.#missed === undefined && !this.#changed && hash === this.#hash) return;
    [this.#position, this.#hash, this.#missed, this.#changed] = [positionOf(page), hash, undefined, false];
    this.sendFirst(page);
  }

  sendFirst({ count, items, versions }: LivePageRow): void {
    const { as } = this.asked;
    if (this.stream.isBehind) return this.miss();
    this.stream.send(
      'page',
      `{"as":"${as}","count":${count},"items":${onOneLine(items)},"versions":${onOneLine(versions)}}`,
    );
  }

  /** @param text that of `changeText` */
  sendChange({ operation }: JudgedRow, text: string): void {
    this.#changed = true;
    if (this.stream.isBehind) return this.miss();
    this.stream.send(operation, `{"as":"${this.asked.as}",${text}}`);
  }
}

/** What all who are sent a change are told of it. */
export function changeText({ id, version, unit }: JudgedRow): string {
  const what = unit === null ? `"id":${JSON.stringify(id)}` : `"unit":${onOneLine(unit)}`;
  return `${what},"version":${version}`;
}

/** Line breaks in the JSON of PostgreSQL are layout; in a stream they would end the line of the data. */
function onOneLine(json: string): string {
  return json.includes('\n') ? json.replaceAll('\n', '') : json;
}

/** Whether so many changes are sent one by one. */
export function isWorthSending(changes: number): boolean {
  return changes <= LIMITS.liveChanges;
}

function positionOf({ epoch, last, pending }: LivePosition): LivePosition {
  return { epoch, last, pending };
}

function hashOf({ count, items, versions }: LivePageRow): string {
  return createHash('sha1').update(`${count} ${versions} ${items}`).digest('base64');
}

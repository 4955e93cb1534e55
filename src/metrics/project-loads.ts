/** How many requests each project had, and how long they took, by minute; of the last hour. */
import { Injectable } from '@nestjs/common';
import { CLIENT_CLOSED_REQUEST } from '../http/server/request-lifecycle.js';
import { getOrInsert, lruCache } from '../shared/maps.js';
import { bucketOf, BUCKETS, quantileOf } from './request-counts.js';

/** The path at which they are answered. */
export const PROJECT_METRICS = '/api/lib/metrics';
/** Minutes that are kept and answered. */
const MINUTES = 60;
const MINUTE_MS = 60_000;
/** Projects that are counted; beyond it those without requests for the longest time are forgotten. */
const PROJECTS = 1000;

/** The requests of one project in one minute of one process. */
interface MinuteCounts {
  /** Minutes since 1970. */
  readonly minute: number;
  /** Answers 4xx, and 5xx. */
  refused: number;
  failed: number;
  /** Requests by their time. */
  readonly buckets: number[];
}

export interface ProjectCounts {
  /** The first minute that was counted. */
  readonly since: number;
  readonly minutes: readonly MinuteCounts[];
}

/** A minute as it is answered. */
interface MinuteLoad {
  readonly begin: string;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50_seconds: number | null;
  readonly p99_seconds: number | null;
}

@Injectable()
export class ProjectLoads {
  readonly #projects = lruCache<Map<number, MinuteCounts>>(PROJECTS);
  readonly #since = minuteNow();
  #ofAll = (project: string): Promise<readonly ProjectCounts[]> => Promise.resolve([this.own(project)]);

  observe(project: string, status: number, milliseconds: number): void {
    const known = this.#projects.get(project);
    const minutes = known ?? new Map<number, MinuteCounts>();
    if (!known) this.#projects.set(project, minutes);
    const minute = minuteNow();
    if (!minutes.has(minute)) forgetBefore(minutes, minute - MINUTES + 1);
    const counts = getOrInsert(minutes, minute, () => ({
      minute,
      refused: 0,
      failed: 0,
      buckets: Array.from({ length: BUCKETS }, () => 0),
    }));
    const bucket = bucketOf(milliseconds / 1000);
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    if (status >= 500) counts.failed += 1;
    else if (status >= 400 && status !== CLIENT_CLOSED_REQUEST) counts.refused += 1;
  }

  /** The counts of this process. */
  own(project: string): ProjectCounts {
    return { since: this.#since, minutes: [...(this.#projects.get(project)?.values() ?? [])] };
  }

  /** The last hour, or what was counted of it, in all processes that share the port. @throws KindError 503 */
  async lastHour(project: string): Promise<readonly MinuteLoad[]> {
    const all = await this.#ofAll(project);
    if (all.length === 0) return [];
    const now = minuteNow();
    const first = Math.max(now - MINUTES + 1, Math.min(...all.map(({ since }) => since)));
    const counts = all.flatMap(({ minutes }) => minutes);
    return Array.from({ length: now - first + 1 }, (_, at) => loadOf(first + at, counts));
  }

  /** Makes this process one of several: `ofAll` asks each of them. */
  join(ofAll: (project: string) => Promise<readonly ProjectCounts[]>): void {
    this.#ofAll = ofAll;
  }
}

function minuteNow(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

function forgetBefore(minutes: Map<number, MinuteCounts>, first: number): void {
  for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
}

function loadOf(minute: number, counts: readonly MinuteCounts[]): MinuteLoad {
  const ofMinute = counts.filter((each) => each.minute === minute);
  const sum = (value: (each: MinuteCounts) => number): number => ofMinute.reduce((all, each) => all + value(each), 0);
  const buckets = Array.from({ length: BUCKETS }, (_, at) => sum((each) => each.buckets[at] ?? 0));
  return {
    // With six digits, as the other times of the API.
    begin: new Date(minute * MINUTE_MS).toISOString().replace('Z', '000Z'),
    requests: buckets.reduce((all, each) => all + each, 0),
    refused: sum(({ refused }) => refused),
    failed: sum(({ failed }) => failed),
    p50_seconds: quantileOf(buckets, 0.5),
    p99_seconds: quantileOf(buckets, 0.99),
  };
}

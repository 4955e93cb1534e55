/** What those who follow changes have in common: which changes they want, and what becomes of each. */
import type { Model } from '../../model/model.js';
import { getOrInsert } from '../../shared/maps.js';
import type { Beginning, FollowedChanges, TaskRow } from '../../sql/changes/follow.sql.js';
import type { Project } from '../../tenancy/project.js';

/** A change that a follower has taken; `attempts` are those that have failed. `id` is the same in every attempt. */
export type Task = Omit<TaskRow, 'lost'>;

/**
 * How an attempt ended. `ended`: the run has forgotten the task itself, in its transaction (`forgetTaskStatement`). `gone`:
 * another service has it. `done`: it is kept, with its report. `failed`: it is tried again by `nextAttempt`, unless this
 * is for good. `paused`: nothing was tried, and the follower gets nothing more until it is looked for again.
 */
export type Outcome =
  | { readonly type: 'ended' }
  | { readonly type: 'gone' }
  | { readonly type: 'paused' }
  | { readonly type: 'done'; readonly report: unknown }
  | { readonly type: 'failed'; readonly report: unknown; readonly forGood?: boolean };

/** Does one task. @param signal gives it up, because the service stops: what it answers then does not count */
export type RunTask = (task: Task, signal: AbortSignal) => Promise<Outcome>;

/** Somebody who gets the changes of some kinds of a project, each once, those of one unit one after the other. */
export interface Follower extends FollowedChanges {
  /** When it began: its first change is not older. It matters where it has no position yet. */
  readonly since: Beginning;
  /** Units whose changes are done at the same time. */
  readonly atOnce: number;
  /** Whether it is not given what was older than a day when it came back. */
  readonly passesOld: boolean;
  /** Prepares tasks, of which some may never run, and returns what does one of them. */
  prepare(tasks: readonly Task[]): Promise<RunTask>;
  /** What is told of an attempt whose service is gone. */
  reportOfLost(task: Task): unknown;
  /** Told of changes that were passed over, and of numbers that were lost, because they are no longer kept. */
  missed(counts: { readonly passed: number; readonly lost: number }): void;
}

/** A follower that a project should have, as far as is known without asking the database. */
interface ExpectedFollower {
  readonly id: string;
  readonly kind: string;
}

/**
 * The followers of one type, which is the first word of their ids. To have one more: `Followers.register`, and
 * `Followers.begin` for its project. To end one, delete its row of `FOLLOWER_TABLE` and its tasks; to pause it, set `paused`
 * in its row and leave it out of the list.
 */
export interface FollowerSource {
  readonly type: string;
  /** Those of a project that are expected; undefined if those that have a position are all there are. */
  readonly expected?: (project: string) => readonly ExpectedFollower[];
  /** Those of a project that run now. */
  list(project: Project, model: Model): Promise<readonly Follower[]> | readonly Follower[];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds after each failed attempt. */
const DELAYS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];

export const MOST_ATTEMPTS = DELAYS.length + 1;

/** Milliseconds until the next attempt, ±10 %; undefined if there is none. @param failed attempts, at least one */
export function nextAttempt(failed: number, random = Math.random()): number | undefined {
  const delay = DELAYS[failed - 1];
  return delay === undefined ? undefined : delay * (0.9 + 0.2 * random);
}

/** The tasks of each unit, in their order. */
export function chainsOf<T extends Pick<Task, 'kind' | 'unit'>>(tasks: readonly T[]): readonly (readonly T[])[] {
  const chains = new Map<string, T[]>();
  for (const task of tasks) getOrInsert(chains, `${task.kind} ${task.unit}`, (): T[] => []).push(task);
  return [...chains.values()];
}

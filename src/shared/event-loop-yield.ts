/**
 * Shares the event loop during long work. In each turn of the loop, only one piece of all such work runs; projects are
 * served round robin, so that eight long computations block the loop no longer than one.
 *
 * The time that long work takes is measured for each project. While other projects are active, the loop is idle, or left
 * to them, for as long as each piece took: their requests need several turns each, and would wait for a piece in every one
 * of them.
 *
 * `EventLoopYield` is for work that can pause anywhere, `UndividedWork` for work whose pieces end by themselves.
 */
import { activeProjects } from './active-keys.js';
import { keepNewest } from './maps.js';
import type { MaybePromise } from './work-in-pieces.js';

/** Milliseconds of work between two pauses, and while other projects are active. */
const STRETCH = { alone: 5, shared: 2 };
/** Milliseconds of work after which the next piece of undivided work waits for a turn. */
const UNDIVIDED_STRETCH = 1;
/** Milliseconds for which the loop has to be idle at most. */
const MAX_REST = 20;
/** How many times as long as that a rest takes at most, if the loop is busy with other work. */
const PATIENCE = 3;
/** Milliseconds for which a project counts as active after its last request: its next one may be on the way. */
const RECENTLY = 100;
/** Projects whose work is known. */
const KNOWN = 1000;

/** The paused computations by key, least recently served first. */
const pausedWork = new Map<string, (() => void)[]>();
let isScheduled = false;
/** How the loop is left to others at present. */
let rest = { begun: 0, idleBefore: 0, milliseconds: 0 };

function scheduleNext(): void {
  const [next] = pausedWork.keys();
  if (isScheduled || next === undefined) return;
  isScheduled = true;
  const left = restFor(next);
  if (left > 0) setTimeout(resumeNext, left);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  isScheduled = false;
  const [next] = pausedWork;
  if (!next) return;
  const [key, [resume, ...others]] = next;
  // The piece that was resumed last has ended only now.
  restFrom(key);
  if (restFor(key) > 0) return scheduleNext();
  pausedWork.delete(key);
  if (others.length > 0) pausedWork.set(key, others);
  resume?.();
  scheduleNext();
}

/** Milliseconds for which work of a project still has to rest, at least; 0 if it may go on. */
function restFor(key: string): number {
  if (!activeProjects.hasOthers(key, RECENTLY)) return 0;
  const left = restLeft();
  // Timers are not more exact than that.
  return left >= 1 ? left : 0;
}

function restLeft(): number {
  const { begun, idleBefore, milliseconds } = rest;
  const longest = begun + milliseconds * PATIENCE - performance.now();
  return Math.max(0, Math.min(milliseconds - (idleTime() - idleBefore), longest));
}

/** Adds a rest that is as long as the work of a project since its last one. */
function restFrom(key: string): void {
  const worked = workOf(key);
  if (worked === 0) return;
  const milliseconds = Math.min(restLeft() + worked, MAX_REST);
  rest = { begun: performance.now(), idleBefore: idleTime(), milliseconds };
  workedBefore.delete(key);
  if (piece?.key === key) piece.begun = performance.now();
}

/** Milliseconds for which the loop had nothing to do so far. */
function idleTime(): number {
  return performance.eventLoopUtilization().idle;
}

/** Milliseconds of work of each key since its last rest, without the present piece. */
const workedBefore = new Map<string, number>();
/** The work under way since the loop called its present callback; undefined if none has begun. */
let piece: { readonly key: string; begun: number } | undefined;

/** Measures what is done from now on, unless that has begun already: until all settled promises have run. */
function beginPiece(key: string): void {
  if (piece?.key === key) return;
  if (piece) endPiece();
  else process.nextTick(endPiece);
  piece = { key, begun: performance.now() };
}

function endPiece(): void {
  if (!piece) return;
  const { key } = piece;
  keepNewest(workedBefore, key, workOf(key), KNOWN);
  piece = undefined;
}

/** Milliseconds of work of a key since its last rest. */
function workOf(key: string): number {
  const before = workedBefore.get(key) ?? 0;
  return piece?.key === key ? before + performance.now() - piece.begun : before;
}

/** Waits for a turn, after as much rest as there was work. */
async function waitForTurn(key: string): Promise<void> {
  restFrom(key);
  await new Promise<void>((resolve) => {
    const queue = pausedWork.get(key);
    if (queue) queue.push(resolve);
    else pausedWork.set(key, [resolve]);
    scheduleNext();
  });
  beginPiece(key);
}

export class EventLoopYield {
  /**
   * @param key the schema of the project that the work belongs to
   * @param stretch milliseconds of work between two pauses
   */
  constructor(
    private readonly key = '',
    private readonly stretch = STRETCH,
  ) {
    beginPiece(key);
  }

  /** Whether `pause` should be called now. */
  get due(): boolean {
    beginPiece(this.key);
    const worked = workOf(this.key);
    if (worked <= this.stretch.shared) return false;
    return worked > this.stretch.alone || activeProjects.hasOthers(this.key, RECENTLY);
  }

  pause(): Promise<void> {
    return waitForTurn(this.key);
  }
}

/** Work whose pieces end by themselves, such as what a function computes from one `await` to the next. */
export class UndividedWork {
  /** @param key the schema of the project that the work belongs to */
  constructor(private readonly key: string) {}

  /** Called before each piece, which begins now, or when the promise resolves: if its project has worked much, in a later turn. */
  turn(): MaybePromise<void> {
    if (pausedWork.has(this.key) || workOf(this.key) > UNDIVIDED_STRETCH) return waitForTurn(this.key);
    beginPiece(this.key);
  }
}

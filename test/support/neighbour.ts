/** Effects of one project's work on others: how long the event loop is blocked, and how long a quiet project waits. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { defineKinds } from './callers.js';
import { createdId } from './definitions.js';
import type { TestProject } from './service.js';

export interface Noticed<T> {
  readonly result: T;
  /** Milliseconds for which the event loop was held at most, at a stretch. */
  readonly held: number;
  /** Milliseconds that each of the quiet project's requests took, one after another, with short pauses, while the work went on. */
  readonly waits: readonly number[];
}

/**
 * Milliseconds between two requests of the quiet project. Bounds are hundreds of times larger, and without a pause the
 * requests take a whole processor.
 */
const PAUSE = 5;

/** Does the work while a quiet project reads one unit of its own again and again. */
export async function beside<T>(quiet: TestProject, path: string, work: () => Promise<T>): Promise<Noticed<T>> {
  const read = async (): Promise<void> => {
    const { status } = await quiet.get(path);
    if (status !== 200) throw new Error(`the quiet project got ${status}`);
  };
  const { waits, ...noticed } = await besideAll({ read }, work);
  return { ...noticed, waits: waits.read };
}

/** Does the work while others ask, one after another, again and again; `waits` are of each. */
export async function besideAll<T, Name extends string>(
  asks: Readonly<Record<Name, () => Promise<unknown>>>,
  work: () => Promise<T>,
): Promise<Omit<Noticed<T>, 'waits'> & { readonly waits: Readonly<Record<Name, readonly number[]>> }> {
  const waits = Object.fromEntries(Object.keys(asks).map((name) => [name, []])) as unknown as Record<Name, number[]>;
  let over = false;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const running = work().finally(() => (over = true));
  do {
    for (const name of Object.keys(asks) as Name[]) {
      const begun = performance.now();
      await asks[name]();
      waits[name].push(performance.now() - begun);
      await pause(PAUSE);
    }
  } while (!over);
  const result = await running;
  delay.disable();
  return { result, held: delay.max / 1e6, waits };
}

/** A unit of its own for a quiet project to read; returns its path. */
export async function quietNote(quiet: TestProject): Promise<string> {
  await defineKinds(quiet, { id: 'note', parameters: [{ id: 'name', kind_id: 'string' }] });
  return `/note/unit/${await createdId(quiet.post('/note/unit', { name: 'x' }))}`;
}

/** Which functions run by a schedule, and what is due of them. Pure. */
import { createHash } from 'node:crypto';
import type { Model } from '../../model/model.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import type { LastRun, ScheduledFunction } from '../../sql/server/run.sql.js';
import type { FunctionDef, ModuleFault } from '../declare/definition.js';
import type { Deployment } from '../load/deployment.js';
import { MINUTE, type Ticks } from '../declare/ticks.js';

export interface ScheduledDef extends FunctionDef {
  readonly ticks: Ticks;
  readonly kind: string;
}

/** The name of its work in the registry. */
export function workName({ kind, name }: ScheduledFunction): string {
  return `${kind}.${name}`;
}

export function functionOfWork(work: string): ScheduledFunction {
  const [kind = '', name = ''] = work.split('.');
  return { kind, name };
}

interface KnownSchedules {
  /** Changes with what is scheduled, and when. */
  readonly id: string;
  /** The names of their work, of all projects. */
  readonly names: readonly string[];
}

const known = new WeakMap<Deployment, KnownSchedules>();

/** The scheduled functions of all modules. */
export function knownSchedules(deployment: Deployment): KnownSchedules {
  return getOrInsert(known, deployment, () => {
    const all = deployment.loaded.flatMap((each) => {
      if (each.state === 'broken') return [];
      const { project, kind } = each;
      return [...each.module.functions.kind.values()].flatMap(({ name, ticks }) =>
        ticks ? [{ project, work: workName({ kind, name }), ...ticks.schedule }] : [],
      );
    });
    const id = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);
    return { id, names: [...new Set(all.map(({ work }) => work))] };
  });
}

/** Those of a project, if it has their kinds. */
export function scheduledIn(deployment: Deployment, project: string): ScheduledDef[] {
  return deployment.calledIn(project).functions.flatMap((def) => (def.ticks ? [{ ...def, ticks: def.ticks }] : []));
}

interface RunningSchedules {
  readonly running: readonly ScheduledDef[];
  readonly faults: readonly (ModuleFault & { readonly kind: string })[];
}

/** Those that run, and faults of those that a project has too many of. @param kinds its active ones */
export function runningSchedules(all: readonly ScheduledDef[], kinds: ReadonlySet<string>): RunningSchedules {
  const own = all.filter(({ kind }) => kinds.has(kind));
  const most = LIMITS.schedulesOfProject;
  const text = `a project has at most ${most} scheduled functions: it does not run`;
  const faults = own.slice(most).map(({ kind, name, place }) => {
    return { ...place, kind, text: `functions.${name}.schedule: ${text}` };
  });
  return { running: own.slice(0, most), faults };
}

/** The same of a project with its model. */
export function schedulesOf(deployment: Deployment, project: string, { kinds }: Model): RunningSchedules {
  const active = new Set([...kinds.values()].flatMap((kind) => (kind.active ? kind.id : [])));
  return runningSchedules(scheduledIn(deployment, project), active);
}

/** Milliseconds over which the runs of one tick are spread, so that projects do not all begin at once. */
const SPREAD = 15_000;

/** When a tick is due in a project. */
export function dueOf(tick: number, project: string): number {
  const hash = createHash('sha256').update(project).digest();
  return tick + (hash.readUInt32BE() % SPREAD);
}

/** The tick of a time when it is due. */
export function tickOf(due: number): number {
  return Math.floor(due / MINUTE) * MINUTE;
}

/** How often a run is begun again whose process has died each time. */
const MOST_LOSSES = 10;

interface DueRun {
  readonly ticks: Ticks;
  readonly due: number;
  readonly now: number;
  /** The run that began last. */
  readonly last: LastRun | undefined;
}

/** The tick to run now: the latest one, or that of a run that was lost, if none has come since. */
export function tickToRun({ ticks, due, now, last }: DueRun): number | undefined {
  const latest = ticks.latest(tickOf(due), now);
  if (!last?.lost || (latest !== undefined && latest > last.tick)) return latest;
  return last.losses < MOST_LOSSES ? last.tick : undefined;
}

/** Milliseconds that a run may take. */
export function timeOfRun({ timeout }: FunctionDef, usual: number): number {
  return Math.min(timeout ?? usual, LIMITS.scheduledSeconds * 1000);
}

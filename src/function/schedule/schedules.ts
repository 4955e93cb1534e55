/** Runs what is due of the schedules, in any of the services, and by hand. */
import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { checkActive } from '../../access/access.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import type { ClaimedWork } from '../../database/registry/work-claims.js';
import { isDatabaseAway, causeText } from '../../database/statement/sqlstate.js';
import { LOGGER } from '../../http/log/logger.js';
import type { Model } from '../../model/model.js';
import { refusal, retryLater, type KindError } from '../../shared/errors.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { PeriodicWork } from '../../shared/periodic-work.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { lruCache } from '../../shared/maps.js';
import { RUN_OUTCOMES, type RunOutcome, type ScheduledFunction } from '../../sql/server/run.sql.js';
import type { Project } from '../../tenancy/project.js';
import { ProjectStore } from '../../tenancy/project-store.js';
import { FunctionRegistry } from '../load/module-registry.js';
import { SchedulePlanner } from './schedule-planner.js';
import { ScheduledRuns, type BegunRun } from './scheduled-runs.js';
import {
  dueOf,
  functionOfWork,
  knownSchedules,
  scheduledIn,
  schedulesOf,
  tickOf,
  tickToRun,
  workName,
} from './scheduled.js';
import type { Ticks } from '../declare/ticks.js';

/** Milliseconds between two looks at what is due. */
const POLL_INTERVAL = 2000;
/** Milliseconds before work is tried again that could not even begin. */
const RETRY_DELAY = 60_000;
const MAX_POSTPONED = 10_000;
/** Milliseconds that a run by hand waits for a place. */
const PATIENCE = 5000;
/** Skipped ticks of one run that are recorded. */
const MOST_SKIPPED = 100;

/** What a process runs of the work that it has claimed. */
interface Work {
  readonly claimed: ClaimedWork;
  readonly project: Project;
  readonly ticks: Ticks;
}

@Injectable()
export class Schedules {
  readonly #polls = new PeriodicWork(() => this.#poll(), POLL_INTERVAL);
  /** By the id of the work. */
  readonly #running = new Map<string, Promise<void>>();
  /** Work that failed before it could begin, and is left to others for a while. */
  readonly #postponed = lruCache<true>(MAX_POSTPONED, { ttl: RETRY_DELAY });
  readonly #stopping = new AbortController();
  /** How many have ended so. */
  readonly #counts = new Map<RunOutcome, number>();

  constructor(
    private readonly planner: SchedulePlanner,
    private readonly runs: ScheduledRuns,
    private readonly registry: FunctionRegistry,
    private readonly projects: ProjectStore,
    private readonly catalog: Catalog,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    metricSources: MetricSources,
  ) {
    // Each run listens to it.
    setMaxListeners(0, this.#stopping.signal);
    const help = 'Runs of scheduled functions, by how they ended, and ticks that were skipped.';
    for (const outcome of RUN_OUTCOMES) {
      if (outcome === 'running') continue;
      const count = () => this.#counts.get(outcome) ?? 0;
      metricSources.addCounter('kind_function_runs_total', help, count, { outcome });
    }
    const running = 'Runs of scheduled functions that are under way.';
    metricSources.addGauge('kind_function_runs_running', running, () => this.#running.size);
  }

  /** From now on until the stop, this process runs what is due. */
  watch(): void {
    this.#polls.start();
    void this.#polls.run();
  }

  /** Looks for what is due now, and resolves when it has begun. */
  poll(): Promise<void> {
    return this.#polls.run({ all: true });
  }

  /** Runs that are under way have so many milliseconds; then they are given up, and run again elsewhere. */
  async stop(grace: number): Promise<void> {
    await this.#polls.stop();
    const time = setTimeout(() => {
      this.#stopping.abort(retryLater('server.stopping', 'The service is shutting down'));
    }, grace);
    await Promise.all(this.#running.values());
    clearTimeout(time);
  }

  /** When the functions of a project run next, by the name of their work; none where nothing runs. */
  async nextOf(project: Project, model: Model): Promise<ReadonlyMap<string, number>> {
    const { running } = schedulesOf(this.registry.current, project.id, model);
    if (running.length === 0 || project.settings.background === false) return new Map();
    const listed = await this.planner.runs.list(project.id);
    const now = listed[0]?.now ?? (await this.planner.runs.now());
    const due = new Map(listed.map((work) => [work.name, work.due]));
    return new Map(
      running.map((def) => {
        const name = workName(def);
        const next = due.get(name) ?? 0;
        return [name, next > now ? tickOf(next) : def.ticks.after(now)];
      }),
    );
  }

  /** Begins a run now, and answers it as JSON. @throws KindError 403, 404, 409, 503 */
  async runNow(project: Project, model: Model, of: ScheduledFunction): Promise<string> {
    const kind = model.kinds.get(of.kind);
    if (kind) checkActive(kind);
    const found = this.runs.find({ project, model }, of);
    if (!found) {
      const known = scheduledIn(this.registry.current, project.id).filter(({ kind }) => kind === of.kind);
      const hint = didYouMean(
        of.name,
        known.map(({ name }) => name),
      );
      throw refusal(
        'function.unknown',
        `No scheduled function '${shortened(of.name)}' of the kind '${shortened(of.kind)}'${hint}`,
      );
    }
    if (project.settings.background === false) {
      throw refusal('project.background', 'Nothing runs by itself in this project: its setting background is off');
    }
    const name = workName(of);
    const listed = await this.planner.runs.list(project.id);
    if (listed.some((work) => work.name === name && work.held)) throw alreadyRunning(of);
    const leave = await this.database.places.background.acquire(project.id, PATIENCE);
    try {
      // It may have begun while the run waited for its place.
      if (this.#polls.signal.aborted) throw retryLater('server.stopping', 'The service is shutting down');
      const { def, ticks } = found;
      await this.planner.note(project.id, { ...def, ticks, kind: of.kind });
      const claimed = await this.planner.runs.claim(() => ({ names: [name], busy: [], now: project.id }));
      if (!claimed) throw alreadyRunning(of);
      const begun = await this.#beginNow({ claimed, project, ticks }, of);
      this.#hold(claimed, leave, this.#finish({ claimed, project, ticks }, begun));
      return begun.item;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #beginNow({ claimed, project }: Work, of: ScheduledFunction): Promise<BegunRun> {
    try {
      await this.runs.last(project, of);
      const begun = await this.runs.begin(project, of, claimed.now);
      if (begun) return begun;
      throw alreadyRunning(of);
    } catch (error) {
      await this.planner.runs.release(claimed, claimed.due).catch(() => undefined);
      throw error;
    }
  }

  async #poll(): Promise<void> {
    const { current } = this.registry;
    if (knownSchedules(current).names.length === 0) return;
    try {
      await this.planner.look(current);
      await this.#startDue(knownSchedules(current).names);
    } catch (error) {
      // The next poll tries again.
      if (!isDatabaseAway(error)) this.logger.warn({ reason: causeText(error) }, 'schedules could not be looked at');
    }
  }

  async #startDue(names: readonly string[]): Promise<void> {
    const { background } = this.database.places;
    const busy = new Set<string>();
    while (!this.#polls.signal.aborted) {
      // What follows commits may always fill all places: there it waits for its turn, as if it were a project.
      const place = background.isFull ? await background.acquire('', PATIENCE).catch(() => undefined) : undefined;
      if (!place && background.isFull) return;
      const claimable = () => ({ names, except: [...this.#postponed.keys()], busy: [...busy] });
      const claimed = await this.planner.runs.claim(claimable).catch((error: unknown) => {
        place?.();
        throw error;
      });
      if (!claimed) return place?.();
      const project = claimed.project ?? '';
      const leave = place ?? background.tryAcquire(project);
      if (leave) {
        this.#hold(claimed, leave, this.#runDue(claimed, project));
      } else {
        busy.add(project);
        await this.planner.runs.release(claimed);
      }
    }
  }

  /** Counts as running until it has ended. */
  #hold({ id }: ClaimedWork, leave: () => void, work: Promise<void>): void {
    const running = work.finally(() => {
      this.#running.delete(id);
      leave();
    });
    this.#running.set(id, running);
  }

  async #runDue(claimed: ClaimedWork, projectId: string): Promise<void> {
    const of = functionOfWork(claimed.name);
    try {
      const project = await this.projects.find(projectId);
      const ticks = project && (await this.#ticksOf(project, of));
      if (!ticks) return await this.planner.runs.drop(claimed);
      const last = await this.runs.last(project, of);
      const tick = tickToRun({ ticks, due: claimed.due, now: claimed.now, last });
      const begun = tick === undefined ? undefined : await this.runs.begin(project, of, tick);
      await this.#finish({ claimed, project, ticks }, begun);
    } catch (error) {
      await this.#postpone(claimed, error);
    }
  }

  /** Undefined if the function is gone. */
  #ticksOf(project: Project, of: ScheduledFunction): Promise<Ticks | undefined> {
    return this.catalog.withCheckedModel({ project }, (model) => this.runs.find({ project, model }, of)?.ticks);
  }

  /** Runs what has begun, if anything, and gives the work back, due at its next tick. */
  async #finish({ claimed, project, ticks }: Work, run: BegunRun | undefined): Promise<void> {
    try {
      let { now } = claimed;
      if (run) {
        const ended = await this.runs.run(run, this.#stopping.signal);
        this.#count(ended.outcome);
        // It is run again, here or elsewhere.
        if (ended.outcome === 'lost' || !ended.times) return await this.planner.runs.release(claimed);
        ({ now } = ended.times);
        const skipped = ticks.between(ended.times.tick, now, MOST_SKIPPED);
        await this.runs.skip(run, skipped);
        this.#count('skipped', skipped.length);
      }
      // A tick that was not due yet when somebody ran the function by hand.
      const pending = claimed.due > claimed.now && tickOf(claimed.due) <= claimed.now;
      await this.planner.runs.release(claimed, pending ? claimed.due : dueOf(ticks.after(now), project.id));
    } catch (error) {
      await this.#postpone(claimed, error);
    }
  }

  #count(outcome: RunOutcome, by = 1): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + by);
  }

  async #postpone(claimed: ClaimedWork, error: unknown): Promise<void> {
    if (!isDatabaseAway(error)) {
      const { project, name } = claimed;
      this.logger.warn({ project, function: name, reason: causeText(error) }, 'a schedule is tried again in a minute');
    }
    this.#postponed.set(claimed.id, true);
    await this.planner.runs.release(claimed).catch(() => undefined);
  }
}

function alreadyRunning({ name }: ScheduledFunction): KindError {
  return refusal('function.running', `A run of '${name}' is under way`);
}

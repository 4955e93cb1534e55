/** Runs of scheduled functions: each has a row in its project, and its end is written in the transaction of its writes. */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Config, CONFIG } from '../../config/config.js';
import { withOrigin, type Session } from '../../catalog/session/session.js';
import { Database, type Transaction } from '../../database/database.js';
import { NULL_ANSWER } from '../../http/answer/answer.js';
import { LOGGER } from '../../http/log/logger.js';
import type { Command, Opened } from '../../run/command.js';
import { Runner } from '../../run/runner.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import {
  beginRunStatement,
  endRunStatement,
  lastRunStatement,
  listRunsStatement,
  pruneRunsStatement,
  skipRunsStatement,
  type LastRun,
  type RunFailure,
  type RunOutcome,
  type RunPage,
  type RunTimes,
  type ScheduledFunction,
} from '../../sql/server/run.sql.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { FunctionDef, ReadyModule } from '../declare/definition.js';
import { FunctionRegistry } from '../load/module-registry.js';
import { readParameters } from '../run/call-parameters.js';
import { failureOf } from '../run/error-redaction.js';
import { FunctionCalls } from '../run/function-calls.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { timeOfRun } from './scheduled.js';
import type { Ticks } from '../declare/ticks.js';

/** A run that has begun. */
export interface BegunRun {
  readonly id: string;
  readonly project: Project;
  readonly of: ScheduledFunction;
  /** As text. */
  readonly tick: string;
  /** As administrators see it, as JSON. */
  readonly item: string;
}

interface EndedRun {
  readonly outcome: RunOutcome;
  /** Its tick, and its end by the clock of PostgreSQL; undefined if another process has declared it lost. */
  readonly times: RunTimes | undefined;
}

interface FoundFunction {
  readonly module: ReadyModule;
  readonly def: FunctionDef;
  readonly ticks: Ticks;
}

/** Runs between two looks for old ones. */
const PRUNE_EVERY = 50;

@Injectable()
export class ScheduledRuns {
  #begun = 0;

  constructor(
    private readonly database: Database,
    private readonly registry: FunctionRegistry,
    private readonly runner: Runner,
    private readonly calls: FunctionCalls,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The function, if it is served, scheduled, and of an active kind. */
  find(
    opened: Pick<Opened, 'project' | 'deployment' | 'model'>,
    { kind: kindId, name }: ScheduledFunction,
  ): FoundFunction | undefined {
    const kind = opened.model.kinds.get(kindId);
    if (!kind?.active || kind.builtIn) return undefined;
    const module = this.registry.usedBy(opened).findReady(opened.project.id, kindId);
    const def = module?.functions.kind.get(name);
    return module && def?.ticks && { module, def, ticks: def.ticks };
  }

  /** The run that began last. What still runs is lost: whoever claims the function is the only one that runs it. */
  async last(project: Project, of: ScheduledFunction): Promise<LastRun | undefined> {
    const [last] = await this.database.ofProject(project).run<LastRun>(lastRunStatement(project.schema, of));
    return last;
  }

  /** Undefined if a run of the tick has ended. */
  async begin(project: Project, of: ScheduledFunction, tick: number): Promise<BegunRun | undefined> {
    const id = randomUUID();
    const executor = this.database.ofProject(project);
    const statement = beginRunStatement(project.schema, id, of, tick);
    const [begun] = await executor.run<Pick<BegunRun, 'tick' | 'item'>>(statement);
    if (this.#begun++ % PRUNE_EVERY === 0) await executor.run(pruneRunsStatement(project.schema));
    return begun && { id, project, of, ...begun };
  }

  /** @param signal gives it up */
  async run(run: BegunRun, signal: AbortSignal): Promise<EndedRun> {
    const { project } = run;
    let times: RunTimes | undefined;
    const end = async (tx: Transaction): Promise<void> => {
      [times] = await tx.run<RunTimes>(endRunStatement(project.schema, run.id, 'done'));
      if (!times) throw new Error('another process has taken this run for lost');
    };
    try {
      await this.runner.run(this.runner.begin({ project, caller: ANONYMOUS }, this.#command(run, end, signal)));
      return { outcome: 'done', times };
    } catch (error) {
      return await this.#record(run, error, signal.aborted);
    }
  }

  /** Ticks that came while a run went on. */
  async skip({ project, of }: BegunRun, ticks: readonly number[]): Promise<void> {
    if (ticks.length === 0) return;
    const skipped = ticks.map((tick) => ({ id: randomUUID(), tick }));
    await this.database.ofProject(project).run(skipRunsStatement(project.schema, of, skipped));
  }

  async list({ project, executor }: Session, page: RunPage): Promise<{ count: number; items: string }> {
    const [row] = await executor.run<{ count: number; items: string }>(listRunsStatement(project.schema, page));
    return row ?? { count: 0, items: '[]' };
  }

  #command(run: BegunRun, ends: (tx: Transaction) => Promise<void>, signal: AbortSignal): Command {
    return {
      authorize: (opened) => {
        const found = this.find(opened, run.of);
        if (!found) throw refusal('function.unknown', `No scheduled function '${run.of.name}' of '${run.of.kind}'`);
        const { module, def } = found;
        return {
          effect: 'write',
          kindId: run.of.kind,
          checked: true,
          run: async (session) => {
            const { model, caller } = session;
            const { values } = await readParameters(def, new Map(), {
              model,
              caller,
              faults: new Faults(),
              yielder: new EventLoopYield(run.project.schema),
              settle: () => undefined,
            });
            return this.calls.call({
              session: withOrigin(session, 'schedule'),
              module,
              called: { ...def, type: 'function' },
              timeout: timeOfRun(def, this.config.functionTimeout),
              key: () => '',
              given: () => ({ parameters: deepCopy(values), tick: run.tick }),
              answer: async (context) => {
                await def.run(context as Parameters<FunctionDef['run']>[0]);
                return NULL_ANSWER;
              },
              ends,
              signal,
              unit: undefined,
            });
          },
        };
      },
    };
  }

  async #record(run: BegunRun, error: unknown, stopped: boolean): Promise<EndedRun> {
    const { project, of, tick } = run;
    const module = this.registry.current.findReady(project.id, of.kind);
    const failure = failureOf(error, module);
    const outcome = stopped ? 'lost' : isTimeout(error) ? 'timeout' : 'failed';
    const told: RunFailure | undefined = stopped ? undefined : failure;
    const statement = endRunStatement(project.schema, run.id, outcome, told);
    const [times] = await this.database.ofProject(project).run<RunTimes>(statement);
    if (!stopped) {
      const fields = { project: project.id, kind: of.kind, function: of.name, tick, outcome };
      this.logger.error({ ...fields, err: error }, 'a run by a schedule failed');
    }
    return { outcome: times ? outcome : 'lost', times };
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof KindError && error.code === 'function.timeout';
}

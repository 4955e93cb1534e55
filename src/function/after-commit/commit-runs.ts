/** Runs `after_commit` for one change: in a transaction of its own, which also ends the task of the change. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Catalog } from '../../catalog/catalog.service.js';
import type { Outcome, RunTask, Task } from '../../changes/follow/follower.js';
import { versionedFields } from '../../changes/history-right.js';
import { type Config, CONFIG } from '../../config/config.js';
import { Database, type Transaction } from '../../database/database.js';
import { EMPTY_QUERY } from '../../filter/queries.js';
import { NULL_ANSWER } from '../../http/answer/answer.js';
import { LOGGER } from '../../http/log/logger.js';
import { isMemberKind, type Model } from '../../model/model.js';
import type { Command } from '../../run/command.js';
import { Runner } from '../../run/runner.js';
import { KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { eventsStatement, type EventRow } from '../../sql/changes/event.sql.js';
import { AFTER_COMMIT, pruneFailuresStatement } from '../../sql/changes/failure.sql.js';
import { forgetTaskStatement } from '../../sql/changes/follow.sql.js';
import type { RunFailure } from '../../sql/server/run.sql.js';
import { ANONYMOUS, memberCaller, SYSTEM, type Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { planContextOf, planGet } from '../../unit/query/list.plan.js';
import { checkVersion } from '../../unit/table/unit.repository.js';
import type { ReadyModule } from '../declare/definition.js';
import { FunctionRegistry } from '../load/module-registry.js';
import { failureOf } from '../run/error-redaction.js';
import { FunctionCalls } from '../run/function-calls.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { depthOf, eventOf } from './commit-event.js';

/** Failed attempts between two looks for too many failures. */
const PRUNE_EVERY = 50;

/** What is told of an attempt whose process has ended. */
export const LOST: RunFailure = {
  code: 'server.stopping',
  text: 'The process ended in which it ran',
  file: null,
  line: null,
};

/** Another service has the task. */
class TaskTaken extends Error {}

/** A change that is run. */
interface CommitRun {
  readonly project: Project;
  readonly kind: string;
  readonly task: Task;
  readonly row: EventRow;
  readonly event: object;
}

@Injectable()
export class CommitRuns {
  #failed = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly registry: FunctionRegistry,
    private readonly runner: Runner,
    private readonly calls: FunctionCalls,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Reads the changes of all tasks at once, but values that are too large together only when they are needed. */
  async prepare(project: Project, kind: string, tasks: readonly Task[]): Promise<RunTask> {
    const read = async (some: readonly Task[]): Promise<Map<string, EventRow>> => {
      const rows = await this.catalog.withModel({ project }, (model) => this.#read(project, kind, model, some));
      return new Map(rows.flatMap((row) => (row.seq === null ? [] : [[row.seq, row] as const])));
    };
    const events = await read(tasks);
    return async (task, signal) => {
      const found = events.get(task.seq);
      events.delete(task.seq);
      const row = found?.unit === null ? (await read([task])).get(task.seq) : found;
      if (!row) return failed('changes.gone', 'The change is no longer kept');
      if (depthOf(row) > LIMITS.commitDepth) {
        return failed(
          'function.loop',
          `It was set off by itself more than ${LIMITS.commitDepth} times, one after the other`,
        );
      }
      const run = { project, kind, task, row, event: eventOf(task, kind, row) };
      return this.database.places.background.run(project.id, () => this.#run(run, signal));
    };
  }

  async #read(project: Project, kindId: string, model: Model, tasks: readonly Task[]): Promise<EventRow[]> {
    const kind = model.kinds.get(kindId);
    if (!kind) return [];
    const { schema } = project;
    const { fields } = planGet(
      EMPTY_QUERY,
      planContextOf({ project, caller: SYSTEM, model }, { kind, access: undefined }),
    );
    const versioned = versionedFields(kind, SYSTEM, model);
    const memberKinds = [...model.kinds.values()].filter((each) => isMemberKind(each) && each.active);
    const statement = eventsStatement(
      { schema, kind, fields, versioned, memberKinds },
      tasks.map(({ seq }) => seq),
    );
    const rows = await this.database.ofProject(project).run<EventRow>(statement);
    checkVersion(rows[0], model);
    return rows;
  }

  async #run(run: CommitRun, signal: AbortSignal): Promise<Outcome> {
    const { project, kind, task, row } = run;
    // After its wait for a place.
    if (signal.aborted) return { type: 'paused' };
    const end = async (tx: Transaction): Promise<void> => {
      const ended = await tx.run(forgetTaskStatement(project.schema, task));
      if (ended.length === 0) throw new TaskTaken('another process has this change');
    };
    try {
      await this.runner.run(this.runner.begin({ project, caller: callerOf(row) }, this.#command(run, end, signal)));
      return { type: 'ended' };
    } catch (error) {
      if (wasTaken(error)) return { type: 'gone' };
      const module = this.registry.current.findReady(project.id, kind);
      if (!module || isGone(error)) return { type: 'paused' };
      const report = failureOf(error, module);
      if (!signal.aborted) {
        const fields = { project: project.id, kind, unit: task.unit, operation: task.operation };
        this.logger.error({ ...fields, attempt: task.attempts + 1, err: error }, 'after_commit failed');
      }
      if (this.#failed++ % PRUNE_EVERY === 0) {
        await this.database.ofProject(project).run(pruneFailuresStatement(project.schema));
      }
      return { type: 'failed', report };
    }
  }

  #command(run: CommitRun, ends: (tx: Transaction) => Promise<void>, signal: AbortSignal): Command {
    const { project, task, row } = run;
    return {
      authorize: (opened) => {
        const kind = opened.model.kinds.get(run.kind);
        const module = this.registry.usedBy(opened).findReady(project.id, run.kind);
        const hook = kind?.active ? module?.hooks.get(AFTER_COMMIT) : undefined;
        if (!module || !hook) throw gone();
        return {
          effect: 'write',
          kindId: run.kind,
          run: (session) =>
            this.calls.call({
              session: {
                ...session,
                origin: { via: AFTER_COMMIT, bySystem: false, depth: depthOf(row) + 1 },
              },
              module,
              called: calledOf(module),
              timeout: this.config.functionTimeout,
              key: () => JSON.stringify([task.kind, task.unit]),
              given: () => ({ event: deepCopy(run.event), attempt: task.attempts + 1 }),
              answer: async (context) => {
                await hook(context as Parameters<typeof hook>[0]);
                return NULL_ANSWER;
              },
              ends,
              signal,
              unit: undefined,
            }),
        };
      },
    };
  }
}

function calledOf({ place }: ReadyModule) {
  return { name: AFTER_COMMIT, type: 'hook', place } as const;
}

/** The member who wrote, with its rights of now; a caller without a token if it is gone, or there was none. */
function callerOf({ origin, member }: EventRow): Caller {
  return member ? memberCaller(String(origin['member']), String(origin['member_kind'])) : ANONYMOUS;
}

function failed(code: string, text: string): Outcome {
  return { type: 'failed', report: { code, text, file: null, line: null } satisfies RunFailure, forGood: true };
}

function gone(): KindError {
  return refusal('function.unknown', 'after_commit of this kind is gone');
}

/** Code of modules calls no functions, so that none of its errors says so. */
function isGone(error: unknown): boolean {
  return error instanceof KindError && error.code === 'function.unknown';
}

function wasTaken(error: unknown): boolean {
  return error instanceof TaskTaken || (error as { readonly cause?: unknown }).cause instanceof TaskTaken;
}

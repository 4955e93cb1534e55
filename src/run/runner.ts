/** Runs commands: model, rights, body, then the work; again with a newer model where the first was stale. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { DefinitionChangeService } from '../catalog/definition/definition-change.service.js';
import type { AroundChange, ChangeOptions, DefinitionChange } from '../catalog/definition/definition-change.js';
import { Database } from '../database/database.js';
import type { Answer } from '../http/answer/answer.js';
import type { ReceivedBody } from '../http/body/read-body.js';
import type { Model } from '../model/model.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import type { BodySource } from '../tenancy/request-bodies.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { originText } from '../catalog/session/recording.js';
import { executorFor, replicaFor, requestIdOf, runAlone } from '../catalog/session/executors.js';
import type { Command, Opened, Plan, StreamKey } from './command.js';
import { type DeployedFunctions, Deployments, type Session } from '../catalog/session/session.js';

/** Receives a body of limited size. */
export type ReadBody = (source: BodySource) => Promise<ReceivedBody>;

/** A command with the model that its plan was made with. */
interface Planned {
  readonly opened: Opened;
  readonly plan: Plan;
}

/** What happens around a change of definitions, in its transaction. */
interface DefineOptions extends Pick<ChangeOptions, 'report' | 'undo'> {
  readonly around?: AroundChange<Answer>;
}

@Injectable()
export class Runner {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly changes: DefinitionChangeService,
    private readonly deployments: Deployments,
  ) {}

  begin(scope: RequestScope, command: Command): CommandRun {
    return new CommandRun(scope, command, this.deployments.current);
  }

  /** Answers a request. @param read receives the body, if the command takes one */
  async run(work: CommandRun, read: ReadBody = () => Promise.resolve(undefined)): Promise<Answer> {
    const first = this.plan(work);
    const { plan } = first instanceof Promise ? await first : first;
    if (plan.effect === 'definition') return this.define(work, read);
    return this.#work(work, plan.body && (await read(plan.body)));
  }

  /** What may happen once alone is not repeated where the model changes meanwhile. */
  async #work(work: CommandRun, body: ReceivedBody): Promise<Answer> {
    const { scope } = work;
    const answer = await this.catalog.withModel<Answer | undefined>(scope, (model) =>
      work.planned(model).plan.once ? Promise.resolve(undefined) : this.#start(work.planned(model), scope, body),
    );
    if (answer) return answer;
    const { opened, plan } = await this.catalog.withCheckedModel(scope, (model) => work.planned(model));
    if (!plan.once) return this.#work(work, body);
    return runAlone(plan, { ...opened, executor: executorFor(this.database, scope) }, body);
  }

  /** The plan with the model in memory. @throws the refusal of the rights, with a model that is current */
  plan(work: CommandRun): MaybePromise<Planned> {
    const cached = this.catalog.cached(work.scope);
    if (cached) {
      try {
        return work.planned(cached);
      } catch {
        // The model may be outdated.
      }
    }
    return this.catalog.withModel(work.scope, async (model) => work.planned(model));
  }

  #start({ opened, plan }: Planned, scope: RequestScope, body: ReceivedBody): Promise<Answer> {
    const replica = plan.mayBeOlder ? replicaFor(this.database, scope) : undefined;
    const session = { ...opened, executor: replica ?? executorFor(this.database, scope) };
    if (!plan.checked) return runAlone(plan, session, body);
    return this.catalog.check(scope, opened.model).then(() => runAlone(plan, session, body));
  }

  /** Runs a command in the transaction of a session, as a part of it. */
  async within(session: Session, plan: Plan, body: ReceivedBody, key?: StreamKey): Promise<Answer> {
    if (plan.once || plan.checked) await this.catalog.check(session, session.model, session.executor);
    return plan.run(session, body, key);
  }

  /** Changes definitions: with the model that it reads under the lock of the project, rights are checked again. */
  async define(work: CommandRun, read: ReadBody, { around, ...more }: DefineOptions = {}): Promise<Answer> {
    const { scope, command } = work;
    const { project, caller } = scope;
    const { cascade, limit } = await this.catalog.withModel(scope, async (model) => {
      const { opened, plan } = work.planned(model);
      const prepared = await plan.prepare?.({ ...opened, executor: executorFor(this.database, scope) });
      return { cascade: prepared === true, limit: plan.body };
    });
    const body = limit && (await read(limit));
    const told = { tellCounts: knowsWholeProject(caller), caller, origin: originText({ caller }) };
    const options = { cascade, ...told, ...requestIdOf(scope), ...more };
    const apply = (change: DefinitionChange): Promise<Answer> => {
      const opened = { ...work.opened(change.before), change };
      return command.authorize(opened).run({ ...opened, executor: change.tx }, body);
    };
    return this.catalog.inProject(project, () => this.changes.change(project, options, apply, around));
  }
}

/** One request: plans its command with the models that it meets, and with one set of functions to its end. */
export class CommandRun {
  #planned: Planned | undefined;

  constructor(
    readonly scope: RequestScope,
    readonly command: Command,
    private readonly deployment: DeployedFunctions | undefined,
  ) {}

  opened(model: Model): Opened {
    const { project, caller } = this.scope;
    const { deployment } = this;
    return { project, caller, ...requestIdOf(this.scope), ...(deployment && { deployment }), model };
  }

  /** @throws the refusal of the rights */
  planned(model: Model): Planned {
    if (this.#planned?.opened.model !== model) {
      const opened = this.opened(model);
      this.#planned = { opened, plan: this.command.authorize(opened) };
    }
    return this.#planned;
  }
}

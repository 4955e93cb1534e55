/** The command that calls a function: checks rights first, then existence, state and parameters, and runs it in one transaction. */
import { Inject, Injectable } from '@nestjs/common';
import { checkActive } from '../access/access.js';
import { accessDenied, type Grant } from '../access/level.js';
import { authorizeFunction } from '../access/function-access.js';
import { PatternMatcher } from '../catalog/pattern/pattern-matcher.js';
import { type Config, CONFIG } from '../config/config.js';
import { Answer } from '../http/answer/answer.js';
import { parseBody, type ReceivedBody } from '../http/body/read-body.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import type { Method } from '../kit/module.js';
import type { KindDef } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { boundedJson } from '../shared/response-size.js';
import { Faults, methodNotAllowed, refusal } from '../shared/errors.js';
import { andThen, type MaybePromise } from '../shared/work-in-pieces.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { optionalBody, type Body } from '../unit/draft/draft.js';
import { addReferenceFaults, unreachableReferences } from '../unit/draft/references.js';
import type { Command, Opened } from '../run/command.js';
import { withOrigin, type Session } from '../catalog/session/session.js';
import { SessionUnits } from '../unit/session-units.js';
import { UnitStores } from '../unit/unit-stores.js';
import { bodyOfQuery, readParameters } from './run/call-parameters.js';
import { Capacity } from './run/capacity.js';
import { deepCopy } from './sandbox/deep-copy.js';
import { AnswerChecks } from './run/answer-checks.js';
import type { FunctionDef, ReadyModule } from './declare/definition.js';
import { type Deployment, brokenModule } from './load/deployment.js';
import { FunctionCalls, GivenUnit, type UnitReading } from './run/function-calls.js';
import { FunctionRegistry } from './load/module-registry.js';

/** The function that a request names. */
interface CallTarget {
  readonly method: Method;
  readonly kind: string;
  /** The id of the unit, for a function of a unit. */
  readonly unit?: string;
  readonly name: string;
}

interface CallRequest {
  readonly url: string;
  readonly contentType: string | undefined;
}

/** A function that the caller may call. */
interface Opening {
  readonly kind: KindDef;
  readonly grant: Grant;
  /** Undefined if the module is broken. */
  readonly found: { readonly module: ReadyModule; readonly def: FunctionDef } | undefined;
}

/** Parses the body or the query string of a call. */
type ReadBody = (def: FunctionDef, faults: Faults) => MaybePromise<Body>;

@Injectable()
export class FunctionService {
  constructor(
    private readonly registry: FunctionRegistry,
    private readonly units: SessionUnits,
    private readonly stores: UnitStores,
    private readonly calls: FunctionCalls,
    private readonly capacity: Capacity,
    private readonly answers: AnswerChecks,
    private readonly patterns: PatternMatcher,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  call(target: CallTarget, { url, contentType }: CallRequest): Command {
    return {
      authorize: (opened) => {
        const found = findFunction(opened, target, this.registry.usedBy(opened));
        const read = (bytes: ReceivedBody): ReadBody => {
          if (target.method === 'GET') return (def, faults) => bodyOfQuery(def, url, faults);
          return () => {
            refuseQuery(url);
            return andThen(parseBody(bytes, contentType, opened.project.schema), optionalBody);
          };
        };
        return {
          effect: 'write',
          kindId: target.kind,
          shows: 'free',
          ...(target.method !== 'GET' && { body: 'bodyLimit' }),
          // The statement that reads the unit of the path also checks the version of the model.
          checked: target.unit === undefined || !found.kind.storage.hasTable,
          run: (session, bytes) =>
            this.capacity.calls.run(session.project.id, () => this.#run(session, target, found, read(bytes))),
        };
      },
    };
  }

  async #run(session: Session, target: CallTarget, { kind, grant, found }: Opening, read: ReadBody): Promise<Answer> {
    const { project, model, caller } = session;
    const reading = target.unit === undefined ? undefined : this.#reading(kind, grant, target.unit);
    const unit = reading && new GivenUnit(kind, await reading.get(session), reading);
    if (!found) throw brokenModule();
    const { def, module } = found;
    const faults = new Faults();
    const parameters = await readParameters(def, await read(def, faults), {
      model,
      caller,
      faults,
      yielder: new EventLoopYield(project.schema),
      settle: (patterns) => this.patterns.settle(project.id, patterns),
    });
    addReferenceFaults(await unreachableReferences(session, parameters.kind, [parameters.placed], true), faults);
    faults.throwIfAny();
    return this.calls.call({
      session: session.origin ? session : withOrigin(session, 'function'),
      module,
      called: { ...def, type: 'function' },
      timeout: def.timeout ?? this.config.functionTimeout,
      key: () => JSON.stringify(parameters.values),
      given: () => ({ parameters: deepCopy(parameters.values) }),
      answer: async (context) => answerOf(await def.run(context as Parameters<FunctionDef['run']>[0])),
      check: ({ content }) => this.answers.check({ session, module, def }, content),
      unit,
    });
  }

  /** Reads the unit of the path with its hidden parameters. `get` throws 401 or 403 if a call is not allowed. */
  #reading(kind: KindDef, grant: Grant, id: string): UnitReading {
    const seeing = (session: Session) => ({ ...session, caller: { ...session.caller, seesHidden: true } as const });
    return {
      find: (session) => this.units.find(seeing(session), kind.id, id),
      get: async (session) => {
        const unit = await this.units.get(seeing(session), kind.id, id);
        if (!grant.predicate) return unit;
        const [holds] = (await this.stores.of(kind).reads.evaluate(session, kind, id, [grant.predicate])) ?? [false];
        if (!holds) throw accessDenied(session.caller, `You may not call that function of this unit of '${kind.id}'`);
        return unit;
      },
    };
  }
}

/** @throws KindError 401, 403 or 404 as for the kind, 404 for an unknown function, 405 for a method it does not have */
function findFunction({ project, caller, model }: Opened, target: CallTarget, deployment: Deployment): Opening {
  const loaded = model.kinds.get(target.kind)?.builtIn ? undefined : deployment.find(project.id, target.kind);
  const module = loaded?.state === 'ready' ? loaded.module : undefined;
  const ofUnit = target.unit !== undefined;
  const known = module?.functions[ofUnit ? 'unit' : 'kind'];
  const def = known?.get(target.name);
  const { kind, grant } = authorizeFunction(model, target.kind, { ofUnit, access: def?.access }, caller);
  checkActive(kind);
  if (loaded?.state === 'broken') return { kind, grant, found: undefined };
  if (!module || !def) {
    const hint = didYouMean(
      target.name,
      [...(known?.values() ?? [])].flatMap(({ name, access }) => (access ? [] : name)),
    );
    const other = module?.functions[ofUnit ? 'kind' : 'unit'].get(target.name);
    const place = other && !other.access ? `, but of ${ofUnit ? 'the kind' : 'a unit'}: ${addressOf(target)}` : hint;
    throw refusal('function.unknown', `No function '${shortened(target.name)}' of ${whose(target)}${place}`);
  }
  if (!def.methods.includes(target.method)) {
    throw methodNotAllowed(`The function '${def.name}' takes ${def.methods.join(' and ')} alone`, def.methods);
  }
  return { kind, grant, found: { module, def } };
}

function answerOf(result: unknown): Answer {
  const content = boundedJson(result ?? null);
  if (content === undefined) throw new TypeError(`it answered a ${typeof result}, which is no JSON`);
  return new Answer(content);
}

/** Where the function of that name is which is called in the other way. */
function addressOf({ kind, unit, name }: CallTarget): string {
  return unit === undefined ? `/${kind}/unit/{id}/function/${name}` : `/${kind}/function/${name}`;
}

function whose({ kind, unit }: CallTarget): string {
  return unit === undefined ? `the kind '${kind}'` : `units of '${kind}'`;
}

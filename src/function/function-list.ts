/**
 * The functions that a caller may call, for the API document and for a list, which also tells administrators which modules
 * there are and what is wrong in them.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { accessSettingOf } from '../access/access.js';
import { type AgentFunction, AgentFunctions } from '../agent/agent-functions.js';
import { Catalog } from '../catalog/catalog.service.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import type { FunctionsQuery } from '../http/route/parse-list-query.js';
import type { KindDef, Model } from '../model/model.js';
import { instantAt } from '../model/parameter-type/calendar.js';
import { didYouMean } from '../shared/texts.js';
import { knowsWholeProject, ANONYMOUS, type Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { descriptorOf, type Viewer } from '../unit/struct.js';
import {
  withoutServerPaths,
  type DeclaredValues,
  type FunctionDef,
  type LoadedModule,
  type ModuleFault,
} from './declare/definition.js';
import { commitFaults } from './declare/check-fit.js';
import { moduleFile, unservedText } from './unserved-modules.js';
import { FunctionRegistry } from './load/module-registry.js';
import { schedulesOf, workName } from './schedule/scheduled.js';
import { Schedules } from './schedule/schedules.js';
import { functionGrant } from '../access/function-access.js';
import {
  DocumentedFunctions,
  type DocumentedFunction,
  type FunctionSource,
} from '../doc/openapi/documented-functions.js';
import type { Project } from '../tenancy/project.js';
import { parameterShapeOf } from './run/call-parameters.js';

interface OfferedFunction {
  readonly def: FunctionDef;
  readonly shown: DocumentedFunction;
}

@Injectable()
export class OfferedFunctions implements FunctionSource, OnModuleInit {
  constructor(
    private readonly registry: FunctionRegistry,
    private readonly documented: DocumentedFunctions,
    private readonly agents: AgentFunctions,
  ) {}

  onModuleInit(): void {
    this.documented.register(this);
    this.agents.use((...asked) => this.#forAgents(...asked));
  }

  version(): string {
    return this.registry.current.id;
  }

  fills({ id }: Project, kind: KindDef): ReadonlySet<string> {
    return this.registry.current.fills(id, kind.id);
  }

  functionsOf(project: Project, model: Model, kind: KindDef, caller: Caller): readonly DocumentedFunction[] {
    const functions = this.offeredTo(project, model, kind, caller).map(({ shown }) => shown);
    // Anyone may call them, but not know of each which service it is for.
    return knowsWholeProject(caller) ? [...functions, ...this.#endpointsOf(project, kind)] : functions;
  }

  #forAgents(project: Project, model: Model, kind: KindDef, caller: Caller): AgentFunction[] {
    return this.offeredTo(project, model, kind, caller).flatMap(({ def, shown }) => {
      if (!def.agents) return [];
      const parameters = shown.parameters.map(({ id, def: { type, required, multiple } }) => {
        return { id, type, required, ...(multiple && { multiple }) };
      });
      const { name, description, scope, methods } = shown;
      const reads = methods.every((method) => method === 'GET');
      return [{ name, description, of_unit: scope === 'unit', reads, parameters }];
    });
  }

  #endpointsOf({ id }: Project, kind: KindDef): DocumentedFunction[] {
    const module = kind.active && !kind.builtIn ? this.registry.current.findReady(id, kind.id) : undefined;
    return [...(module?.endpoints.values() ?? [])].map(({ name, methods, description }) => {
      return { name, scope: 'endpoint', methods, description, parameters: [], returns: undefined, open: true };
    });
  }

  /**
   * None if the module is broken or the kind is inactive. @param scheduled also those that run by a schedule, although
   * the caller may not call them
   */
  offeredTo(
    project: Project,
    model: Model,
    kind: KindDef,
    caller: Caller,
    { scheduled = false } = {},
  ): readonly OfferedFunction[] {
    const module = kind.active && !kind.builtIn ? this.registry.current.findReady(project.id, kind.id) : undefined;
    if (!module) return [];
    const mayCall = ({ scope, access }: FunctionDef, by: Caller) =>
      functionGrant(kind, { ofUnit: scope === 'unit', access }, by, model) !== undefined;
    return [...module.functions.kind.values(), ...module.functions.unit.values()]
      .filter((def) => (scheduled && def.ticks !== undefined) || mayCall(def, caller))
      .map((def) => ({ def, shown: documented(def, model, mayCall(def, ANONYMOUS)) }));
  }
}

function documented(def: FunctionDef, model: Model, open: boolean): DocumentedFunction {
  const { name, scope, methods, description, returns } = def;
  const fieldsOf = (declared: DeclaredValues) => [...parameterShapeOf(declared, model).fields.values()];
  return {
    name,
    scope,
    methods,
    description,
    parameters: fieldsOf(def),
    returns: returns && 'parameters' in returns ? { values: fieldsOf(returns) } : returns,
    open,
  };
}

@Injectable()
export class FunctionList {
  constructor(
    private readonly catalog: Catalog,
    private readonly registry: FunctionRegistry,
    private readonly offered: OfferedFunctions,
    private readonly schedules: Schedules,
  ) {}

  /** `{count, items, modules}`; `modules` is null except for administrators, on the first page. */
  list(scope: RequestScope, { offset, limit, kindIds }: FunctionsQuery): Promise<Answer> {
    return this.catalog.withCheckedModel(scope, async (model) => {
      const viewer = { caller: scope.caller, model };
      const isAdministrator = knowsWholeProject(scope.caller);
      const chosen = kindIds && new Set(kindIds);
      const all = [...model.kinds.values()]
        .filter(({ id }) => chosen?.has(id) ?? true)
        .flatMap((kind) =>
          this.offered
            .offeredTo(scope.project, model, kind, scope.caller, { scheduled: isAdministrator })
            .map((each) => ({ kind, each })),
        );
      const next = isAdministrator ? await this.schedules.nextOf(scope.project, model) : undefined;
      const items = all.slice(offset, offset + limit).map(({ kind, each }) => ({
        ...describedFunction(kind, each, viewer),
        ...describedSchedule(kind, each.def, next),
        access: isAdministrator ? accessOf(each.def, kind, model) : null,
      }));
      const modules = isAdministrator && offset === 0 ? this.#modulesOf(scope.project.id, model) : null;
      return jsonAnswer({ count: all.length, items, modules });
    });
  }

  /** The modules of the project, and those for all projects that are for its kinds, or seem to be meant for one. */
  #modulesOf(project: string, model: Model): object[] {
    const { kinds } = model;
    const { current } = this.registry;
    const tooMany = schedulesOf(current, project, model).faults;
    const without = [...kinds.values()].flatMap(({ id, builtIn }) => (builtIn || current.find(project, id) ? [] : id));
    const own = current.loaded.flatMap((each) => {
      if (current.find(project, each.kind) !== each) return [];
      const { state, kind } = each;
      const isOwn = each.project === project;
      if (kinds.get(kind)?.builtIn === false || (isOwn && state === 'broken')) {
        const of = kinds.get(kind);
        const unrecorded = state === 'ready' && of ? commitFaults(each.module, of) : [];
        return describedModule(each, [...tooMany.filter((fault) => fault.kind === kind), ...unrecorded]);
      }
      const hint = didYouMean(kind, without);
      if (state === 'broken' || (!isOwn && hint === '')) return [];
      return describedModule(each, [{ file: moduleFile(each), text: unservedText(kind, hint) }]);
    });
    const strays = current.strays.filter(({ file }) => file.startsWith(`${project}/`));
    return [...own, ...strays.map((fault) => moduleOf(null, fault.file, { faults: [fault] }))];
  }
}

function describedFunction(kind: KindDef, { def, shown }: OfferedFunction, viewer: Viewer): object {
  const { name, scope, methods, description, parameters, returns, open } = shown;
  return {
    kind_id: kind.id,
    name,
    of_unit: scope === 'unit',
    methods,
    description,
    parameters: parameters.map((field) => descriptorOf(field, viewer)),
    returns: returns ? describedAnswer(returns, viewer) : null,
    timeout: def.timeout ?? null,
    open,
  };
}

/** @param next when functions run next, by the names of their work; undefined for those who are not told */
function describedSchedule(kind: KindDef, { name, ticks }: FunctionDef, next: ReadonlyMap<string, number> | undefined) {
  const at = next?.get(workName({ kind: kind.id, name }));
  const isNext = ticks !== undefined && at !== undefined;
  return {
    schedule: (next && ticks?.schedule) ?? null,
    next_at: isNext ? instantAt(at) : null,
  };
}

function describedAnswer(returns: NonNullable<OfferedFunction['shown']['returns']>, viewer: Viewer): object {
  if ('kind' in returns) return { kind_id: returns.kind, parameters: null };
  return { kind_id: null, parameters: returns.values.map((field) => descriptorOf(field, viewer)) };
}

/** A level, or rules. */
function accessOf({ access }: FunctionDef, kind: KindDef, model: Model): string | readonly string[] {
  if (access !== undefined) return access;
  const setting = accessSettingOf(kind, 'function', model);
  return 'rules' in setting ? setting.rules : setting.level;
}

function describedModule(loaded: LoadedModule, unserved: readonly ModuleFault[] = []): object {
  if (loaded.state === 'broken') return moduleOf(loaded.kind, moduleFile(loaded), { faults: loaded.faults });
  const { file, endpoints, hooks, remote } = loaded.module;
  const called = [...endpoints].map(([name, { methods }]) => ({ name, methods }));
  const content = { endpoints: called, hooks: [...hooks.keys()], remote: remote !== undefined };
  return moduleOf(loaded.kind, file, { ...content, faults: unserved });
}

interface ModuleContent {
  readonly endpoints?: readonly object[];
  readonly hooks?: readonly string[];
  readonly remote?: boolean;
  readonly faults?: readonly ModuleFault[];
}

function moduleOf(
  kindId: string | null,
  file: string,
  { endpoints = [], hooks = [], remote = false, faults = [] }: ModuleContent,
) {
  const shown = faults.map((fault) => ({
    file: fault.file,
    line: fault.line ?? null,
    text: withoutServerPaths(fault.text),
  }));
  return { kind_id: kindId, file, endpoints, hooks, remote, faults: shown };
}

/** The functions that a caller may call, for the API document and the list. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { functionGrant } from '../access/function-access.js';
import {
  DocumentedFunctions,
  type DocumentedFunction,
  type FunctionSource,
} from '../doc/openapi/documented-functions.js';
import type { KindDef, Model } from '../model/model.js';
import { ANONYMOUS, type Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { parameterShapeOf } from './run/call-parameters.js';
import type { DeclaredValues, FunctionDef } from './declare/definition.js';
import { FunctionRegistry } from './load/module-registry.js';

export interface OfferedFunction {
  readonly def: FunctionDef;
  readonly shown: DocumentedFunction;
}

@Injectable()
export class OfferedFunctions implements FunctionSource, OnModuleInit {
  constructor(
    private readonly registry: FunctionRegistry,
    private readonly documented: DocumentedFunctions,
  ) {}

  onModuleInit(): void {
    this.documented.register(this);
  }

  version(): string {
    return this.registry.current.id;
  }

  mayMake({ id }: Project, kind: KindDef): boolean {
    return !kind.builtIn && this.registry.current.mayMake(id, kind.id);
  }

  functionsOf(project: Project, model: Model, kind: KindDef, caller: Caller): readonly DocumentedFunction[] {
    return this.offeredTo(project, model, kind, caller).map(({ shown }) => shown);
  }

  /** None if the module is broken or the kind is inactive. */
  offeredTo(project: Project, model: Model, kind: KindDef, caller: Caller): readonly OfferedFunction[] {
    const module = kind.active && !kind.builtIn ? this.registry.current.findReady(project.id, kind.id) : undefined;
    if (!module) return [];
    const mayCall = ({ scope, access }: FunctionDef, by: Caller) =>
      functionGrant(kind, { ofUnit: scope === 'unit', access }, by, model) !== undefined;
    return [...module.functions.kind.values(), ...module.functions.unit.values()]
      .filter((def) => mayCall(def, caller))
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

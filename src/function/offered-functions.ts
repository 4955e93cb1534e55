/** The functions that a caller may call, for the API document. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { functionGrant } from '../access/function-access.js';
import {
  DocumentedFunctions,
  type DocumentedFunction,
  type FunctionSource,
} from '../doc/openapi/documented-functions.js';
import type { KindDef, Model } from '../model/model.js';
import type { Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { parameterShapeOf } from './run/call-parameters.js';
import type { FunctionDef } from './declare/definition.js';
import { FunctionRegistry } from './load/module-registry.js';

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

  /** None if the module is broken or the kind is inactive. */
  functionsOf(project: Project, model: Model, kind: KindDef, caller: Caller): readonly DocumentedFunction[] {
    const module = kind.active && !kind.builtIn ? this.registry.current.findReady(project.id, kind.id) : undefined;
    if (!module) return [];
    const mayCall = ({ scope, access }: FunctionDef, by: Caller) =>
      functionGrant(kind, { ofUnit: scope === 'unit', access }, by, model) !== undefined;
    return [...module.functions.kind.values(), ...module.functions.unit.values()]
      .filter((def) => mayCall(def, caller))
      .map((def) => ({
        name: def.name,
        scope: def.scope,
        methods: def.methods,
        description: def.description,
        parameters: [...parameterShapeOf(def, model).fields.values()],
        returns:
          def.returns && 'parameters' in def.returns
            ? { values: [...parameterShapeOf(def.returns, model).fields.values()] }
            : def.returns,
        open: mayCall(def, { type: 'anonymous' }),
      }));
  }
}

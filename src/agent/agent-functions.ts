/** The functions that say that agents may call them. Modules are loaded by `function/`, which gives them. */
import { Injectable } from '@nestjs/common';
import type { KindDef, Model } from '../model/model.js';
import type { Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';

interface AgentParameter {
  readonly id: string;
  readonly type: string;
  readonly required: boolean;
  /** It takes a list. */
  readonly multiple?: true;
}

export interface AgentFunction {
  readonly name: string;
  readonly of_unit: boolean;
  readonly description: string;
  readonly parameters: readonly AgentParameter[];
  /** It takes GET alone, by which it promises to write nothing. */
  readonly reads: boolean;
}

/** Those that the caller may call. */
type FunctionsOf = (project: Project, model: Model, kind: KindDef, caller: Caller) => readonly AgentFunction[];

@Injectable()
export class AgentFunctions {
  #of: FunctionsOf = () => [];

  /** Call it at most once. */
  use(of: FunctionsOf): void {
    this.#of = of;
  }

  of(...asked: Parameters<FunctionsOf>): readonly AgentFunction[] {
    return this.#of(...asked);
  }
}

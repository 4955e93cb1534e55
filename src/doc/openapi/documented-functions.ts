/**
 * The seam between the document and custom functions: whoever serves functions registers a source of what it would
 * serve, and the document shows that.
 */
import { Injectable } from '@nestjs/common';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';

/** A function as the document shows it. */
export interface DocumentedFunction {
  readonly name: string;
  readonly scope: 'kind' | 'unit';
  readonly methods: readonly ('GET' | 'POST')[];
  readonly description: string;
  readonly parameters: readonly Field[];
  /** Whether requests without a token may call it. */
  readonly open: boolean;
}

export interface FunctionSource {
  /** The functions of a kind that the caller may call. */
  functionsOf(project: Project, model: Model, kind: KindDef, caller: Caller): readonly DocumentedFunction[];
  /** Whether a hook may make what a new unit must have, so that a create need not give it. */
  mayMake(project: Project, kind: KindDef): boolean;
  /** Changes whenever any function or hook of the project may have: documents are kept by it. */
  version(project: Project): string;
}

@Injectable()
export class DocumentedFunctions {
  #source: FunctionSource | undefined;

  register(source: FunctionSource): void {
    this.#source = source;
  }

  get source(): FunctionSource | undefined {
    return this.#source;
  }
}

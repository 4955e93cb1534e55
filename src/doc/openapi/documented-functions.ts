/**
 * Interface between the API document and custom functions: `function/` registers a source of the functions to document.
 */
import { Injectable } from '@nestjs/common';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { EndpointMethod } from '../../kit/module.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';

/** A function, or an endpoint, in the document. */
export interface DocumentedFunction {
  readonly name: string;
  readonly scope: 'kind' | 'unit' | 'endpoint';
  readonly methods: readonly EndpointMethod[];
  readonly description: string;
  readonly parameters: readonly Field[];
  /** What it returns: values, or a unit of a kind; undefined if it does not say. */
  readonly returns: { readonly values: readonly Field[] } | { readonly kind: string } | undefined;
  /** Whether requests without a token may call it. */
  readonly open: boolean;
}

export interface FunctionSource {
  /** The functions of a kind that the caller may call; for administrators also its endpoints. */
  functionsOf(project: Project, model: Model, kind: KindDef, caller: Caller): readonly DocumentedFunction[];
  /** The required values that a hook sets, so that a create may leave them out. */
  fills(project: Project, kind: KindDef): ReadonlySet<string>;
  /** Changes whenever functions or hooks of the project may have changed; part of the cache key of documents. */
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

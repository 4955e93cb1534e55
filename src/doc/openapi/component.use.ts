/** Of all components that a document could have, those that something in it refers to. */
import type { Components } from './openapi.js';

export type UsedComponents = Omit<Components, 'securitySchemes'>;

export class ComponentUse {
  readonly #used = new Set<string>();

  constructor(private readonly components: UsedComponents) {}

  /** Counts what a part of the document refers to, and what that refers to. */
  visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref' && typeof each === 'string') this.#follow(each);
      else this.visit(each);
    }
  }

  used(): UsedComponents {
    const { schemas, responses, parameters, headers } = this.components;
    return {
      schemas: this.#kept('schemas', schemas),
      responses: this.#kept('responses', responses),
      parameters: this.#kept('parameters', parameters),
      headers: this.#kept('headers', headers),
    };
  }

  #follow(ref: string): void {
    if (this.#used.has(ref)) return;
    this.#used.add(ref);
    const [, , section = '', name = ''] = ref.split('/');
    this.visit((this.components as unknown as Record<string, Record<string, unknown>>)[section]?.[name]);
  }

  #kept<T>(section: string, all: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(
      Object.entries(all).filter(([name]) => this.#used.has(`#/components/${section}/${name}`)),
    );
  }
}

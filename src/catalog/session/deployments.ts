/** The custom functions of all projects as they are now. An operation uses one set to its end. */
import { Injectable } from '@nestjs/common';

@Injectable()
export class Deployments {
  #source: { readonly deployment: object } | undefined;

  /** Call it at most once. */
  use(source: { readonly deployment: object }): void {
    this.#source = source;
  }

  /** Undefined where there are no functions. */
  get current(): object | undefined {
    return this.#source?.deployment;
  }
}

/** The project and the caller of a request, stored by the tenancy interceptor. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RequestSlot, requestOf, type HttpRequest } from '../http/request/request.js';
import type { RequestIds } from '../http/request/request-id.js';
import type { Caller } from './caller.js';
import type { Project } from './project.js';
import { CONSISTENCY_HEADER } from '../http/header-names.js';
import { refusal } from '../shared/errors.js';

export interface RequestScope {
  readonly project: Project;
  readonly caller: Caller;
  /** The part of the project's work that it belongs to: its kind, or its group. */
  readonly part?: string;
  /** How current data has to be; undefined if the request does not say. */
  readonly consistency?: Consistency | undefined;
  /** The id of the request, for the audit log. */
  readonly requestId?: RequestIds;
}

const scopes = new RequestSlot<RequestScope>();

export function setScope(request: HttpRequest, scope: RequestScope): void {
  scopes.set(request, scope);
}

/** The scope of a request; undefined if its route does not need a project and it names none. */
export function findScope(request: object): RequestScope | undefined {
  return scopes.get(request);
}

/** The scope of a request that passed the interceptor. */
export function scopeOf(request: object): RequestScope {
  const scope = scopes.get(request);
  if (!scope) throw new Error('the request has no scope: its controller lacks the tenancy interceptor');
  return scope;
}

/** Injects the `RequestScope` into a handler. */
export const Scope = createParamDecorator((_: unknown, context: ExecutionContext) => scopeOf(requestOf(context)));

/** How current the data of a read has to be, which its client says in the header `Kind-Consistency`. */
export class Consistency {
  #asked = false;

  constructor(private readonly text: string) {}

  /**
   * Whether this read may come from a replica. Only the first of a request may: if it finds the model outdated, the
   * replica may be the reason. @throws KindError 400 for an unknown value
   */
  mayBeOlder(): boolean {
    if (this.text !== 'eventual' && this.text !== 'strong') {
      throw refusal('header.bad_value', "Kind-Consistency is 'eventual' or 'strong'");
    }
    const first = !this.#asked;
    this.#asked = true;
    return first && this.text === 'eventual';
  }
}

/** Undefined if the client does not say. */
export function consistencyOf({ headers }: HttpRequest): Consistency | undefined {
  const text = headers[CONSISTENCY_HEADER];
  return text === undefined ? undefined : new Consistency(String(text));
}

/** The project and the caller of a request: resolved once, used by the guard and everything after it. */
import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { refusal } from '../shared/errors.js';
import { didYouMean } from '../shared/nearest.js';
import type { HttpRequest } from '../http/request.js';
import { ANONYMOUS, CallerResolver, type Caller } from './caller.js';
import { ProjectStore } from './project-store.js';
import type { Project } from './project.js';

export interface RequestScope {
  readonly project: Project;
  readonly caller: Caller;
}

const scopes = new WeakMap<object, RequestScope>();
export const PROJECT_HEADER = 'kind-project-key';

@Injectable()
export class ScopeResolver {
  constructor(
    private readonly projects: ProjectStore,
    private readonly callers: CallerResolver,
  ) {}

  /** @throws KindError 400 `project.missing`, 401 `project.unknown`, 401 `token.invalid` */
  /** `withToken: false` leaves the bearer to the route: it is of another type there. */
  async resolve(request: HttpRequest, withToken = true): Promise<RequestScope> {
    const known = scopes.get(request);
    if (known) return known;
    const project = await this.#project(request);
    const caller = withToken ? await this.callers.resolve(request.headers.authorization, project) : ANONYMOUS;
    const scope = { project, caller };
    scopes.set(request, scope);
    return scope;
  }

  async #project(request: HttpRequest): Promise<Project> {
    const key = request.headers[PROJECT_HEADER];
    if (typeof key !== 'string' || key.trim() === '') {
      const near = Object.keys(request.headers).filter((name) => !['host', PROJECT_HEADER].includes(name));
      throw refusal('project.missing', `The header ${PROJECT_HEADER} is missing${didYouMean(PROJECT_HEADER, near)}`);
    }
    const project = await this.projects.find(key.trim());
    if (!project) throw refusal('project.unknown', 'No project has that key');
    return project;
  }
}

/** The scope of a request that passed the guard. */
export function scopeOf(request: object): RequestScope {
  const scope = scopes.get(request);
  if (!scope) throw new Error('the request has no scope: its route lacks the project guard');
  return scope;
}

/** Injects the `RequestScope` into a handler. */
export const Scope = createParamDecorator((_: unknown, context: ExecutionContext) =>
  scopeOf(context.switchToHttp().getRequest<HttpRequest>()),
);

/** The project and the caller of a request: resolved once, used by the guard and everything after it. */
import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { andThen, type Eventually } from '../shared/eventually.js';
import { refusal } from '../shared/errors.js';
import { nearestTo } from '../shared/nearest.js';
import { RequestSlot } from '../http/request-slot.js';
import type { HttpRequest } from '../http/request.js';
import { ANONYMOUS, CallerResolver, type Caller } from './caller.js';
import { ProjectStore } from './project-store.js';
import type { Project } from './project.js';

export interface RequestScope {
  readonly project: Project;
  readonly caller: Caller;
}

const scopes = new RequestSlot<RequestScope>('scope');
export const PROJECT_HEADER = 'kind-project-key';

@Injectable()
export class ScopeResolver {
  constructor(
    private readonly projects: ProjectStore,
    private readonly callers: CallerResolver,
  ) {}

  /**
   * At once where project, token and session are in memory. `withToken: false` leaves the bearer to the route, where it is
   * of another type or none at all.
   * @throws KindError 400 `project.missing`, 401 `project.unknown`, 401 `token.invalid`
   */
  resolve(request: HttpRequest, withToken = true): Eventually<RequestScope> {
    return (
      scopes.get(request) ??
      andThen(this.#project(request), (project) => {
        const caller = withToken ? this.callers.resolve(request.headers.authorization, project) : ANONYMOUS;
        return andThen(caller, (who) => keep(request, { project, caller: who }));
      })
    );
  }

  #project(request: HttpRequest): Eventually<Project> {
    const key = request.headers[PROJECT_HEADER];
    if (typeof key !== 'string' || key.trim() === '') {
      const others = Object.keys(request.headers).filter((name) => !['host', PROJECT_HEADER].includes(name));
      const meant = nearestTo(PROJECT_HEADER, others);
      const hint = meant === undefined ? '' : ` (there is '${meant}': did you mean '${PROJECT_HEADER}'?)`;
      throw refusal('project.missing', `The header ${PROJECT_HEADER} is missing${hint}`);
    }
    return andThen(this.projects.find(key.trim()), (project) => {
      if (!project) throw refusal('project.unknown', 'No project has that key');
      return project;
    });
  }
}

function keep(request: HttpRequest, scope: RequestScope): RequestScope {
  scopes.set(request, scope);
  return scope;
}

/** The scope of a request; undefined where its route needs none and it names none. */
export function findScope(request: object): RequestScope | undefined {
  return scopes.get(request);
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

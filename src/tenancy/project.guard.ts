import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { andThen, type Eventually } from '../shared/eventually.js';
import type { HttpRequest } from '../http/request.js';
import { Traffic } from '../http/traffic.js';
import { PROJECT_HEADER, ScopeResolver } from './request-scope.js';

const NO_PROJECT = 'kind:no-project';
const OPTIONAL_PROJECT = 'kind:optional-project';
const NO_ACCESS_TOKEN = 'kind:no-access-token';

/** For routes outside the tenants: health, metrics, the documentation page. */
export const WithoutProject = () => SetMetadata(NO_PROJECT, true);

/** For routes that answer something without a project too; where the header is there, it must be good. */
export const WithOptionalProject = () => SetMetadata(OPTIONAL_PROJECT, true);

/** For routes whose bearer is no access token: they check it themselves. */
export const WithOwnBearer = () => SetMetadata(NO_ACCESS_TOKEN, true);

/** For routes that take no bearer: whatever the header holds, nobody asks. */
export const WithoutBearer = () => SetMetadata(NO_ACCESS_TOKEN, true);

interface Marks {
  readonly noProject: boolean;
  readonly optionalProject: boolean;
  readonly noAccessToken: boolean;
}

/** Lets a request in that names a project and carries no bad token, unless the service is about to stop. */
@Injectable()
export class ProjectGuard implements CanActivate {
  readonly #marks = new Map<unknown, Map<unknown, Marks>>();

  constructor(
    private readonly reflector: Reflector,
    private readonly resolver: ScopeResolver,
    private readonly traffic: Traffic,
  ) {}

  canActivate(context: ExecutionContext): Eventually<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const { noProject, optionalProject, noAccessToken } = this.#marksOf(context);
    if (noProject) return true;
    this.traffic.check();
    if (optionalProject && request.headers[PROJECT_HEADER] === undefined) return true;
    return andThen(this.resolver.resolve(request, !noAccessToken), () => true);
  }

  /** What a route is marked with never changes: it is looked up once. */
  #marksOf(context: ExecutionContext): Marks {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const ofController = this.#marks.get(controller) ?? new Map<unknown, Marks>();
    this.#marks.set(controller, ofController);
    const known = ofController.get(handler);
    if (known) return known;
    const marked = (mark: string) => this.reflector.getAllAndOverride<boolean>(mark, [handler, controller]) === true;
    const marks = {
      noProject: marked(NO_PROJECT),
      optionalProject: marked(OPTIONAL_PROJECT),
      noAccessToken: marked(NO_ACCESS_TOKEN),
    };
    ofController.set(handler, marks);
    return marks;
  }
}

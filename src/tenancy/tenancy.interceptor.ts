/**
 * Shared by all controllers of tenants: reads `kind-project-key`, resolves the project and the caller, and prepares
 * reading the body, which handlers do after they have checked the caller's rights.
 */
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { idsOfRequest } from '../http/request/request-id.js';
import { requestOf, type HttpRequest, type HttpResponse } from '../http/request/request.js';
import { OpenRequests } from '../http/server/open-requests.js';
import { PreparingInterceptor } from '../http/server/preparing.interceptor.js';
import { activeProjects } from '../shared/active-keys.js';
import { refusal, type KindError } from '../shared/errors.js';
import { andThen, type MaybePromise } from '../shared/work-in-pieces.js';
import { RequestBodies } from './request-bodies.js';
import { ANONYMOUS, CallerResolver, withoutHeld } from './caller.js';
import { consistencyOf, setScope } from './request-scope.js';
import { Overload } from './overload.js';
import { RequestRates } from './request-rates.js';
import { ProjectStore } from './project-store.js';
import type { Project } from './project.js';
import { checkAgent, RouteOptionsReader, type RouteOptions } from './route-options.js';
import { PROJECT_HEADER } from '../http/header-names.js';
import { nearestTo } from '../shared/texts.js';

@Injectable()
export class TenancyInterceptor extends PreparingInterceptor {
  readonly #options = new RouteOptionsReader();

  constructor(
    private readonly openRequests: OpenRequests,
    private readonly projects: ProjectStore,
    private readonly callers: CallerResolver,
    private readonly bodies: RequestBodies,
    private readonly rates: RequestRates,
    private readonly overload: Overload,
  ) {
    super();
  }

  /** Synchronous if project, token and session are cached. */
  prepare(context: ExecutionContext): MaybePromise<void> {
    const options = this.#options.of(context);
    if (options.project === 'none') return;
    this.openRequests.refuseIfStopped();
    const request = requestOf(context);
    if (options.project === 'optional' && !hasProjectKey(request)) return;
    const part = partOf(request);
    // Before anything is looked up or read.
    const key = typeof options.project === 'object' ? options.project.read(request) : readProjectKey(request);
    const refused = this.overload.refuse(key, part);
    return refused ?? this.#resolve(request, context.getArgByIndex<HttpResponse>(1), { ...options, key, part });
  }

  #resolve(
    request: HttpRequest,
    response: HttpResponse,
    { key, part, ...options }: RouteOptions & { readonly key: string; readonly part: string },
  ): MaybePromise<void> {
    const { project: place, ignoresToken, forHeld } = options;
    const unknown = typeof place === 'object' ? () => place.unknown(request) : unknownProject;
    return andThen(this.#project(key, unknown), (project) => {
      const found = ignoresToken(request) ? ANONYMOUS : this.callers.resolve(request, project);
      return andThen(found, (caller) => {
        checkAgent(options, caller);
        setScope(request, {
          project,
          caller: forHeld ? caller : withoutHeld(caller),
          part,
          consistency: consistencyOf(request),
          requestId: idsOfRequest(request),
        });
        this.bodies.prepare(request, () => this.callers.checkStays(project, caller));
        watch(response, project);
      });
    });
  }

  #project(key: string, unknown: () => KindError): MaybePromise<Project> {
    return andThen(this.projects.find(key), (project) => {
      if (!project) throw unknown();
      this.rates.count(project);
      return project;
    });
  }
}

function unknownProject(): KindError {
  return refusal('project.unknown', 'No project has that key');
}

/** The part of the project's work that a request belongs to: its kind, or its group. */
function partOf({ params }: HttpRequest): string {
  const { kind_id, parent_kind_id, group_id } = params as Record<string, string | undefined>;
  return group_id === undefined ? (kind_id ?? parent_kind_id ?? '') : `group ${group_id}`;
}

/** The project is active until the request is answered. */
function watch(response: HttpResponse, { schema }: Project): void {
  if (response.destroyed) return;
  activeProjects.enter(schema);
  response.once('close', () => activeProjects.leave(schema));
}

function hasProjectKey({ headers }: HttpRequest): boolean {
  return headers[PROJECT_HEADER] !== undefined;
}

/** @throws KindError 400 if the header is missing or empty, with a header of a similar name if there is one */
function readProjectKey({ headers }: HttpRequest): string {
  const key = headers[PROJECT_HEADER];
  if (typeof key === 'string' && key.trim() !== '') return key.trim();
  const others = Object.keys(headers).filter((name) => !['host', PROJECT_HEADER].includes(name));
  const meant = nearestTo(PROJECT_HEADER, others);
  const hint = meant === undefined ? '' : ` (there is '${meant}': did you mean '${PROJECT_HEADER}'?)`;
  throw refusal('project.missing', `The header ${PROJECT_HEADER} is missing${hint}`);
}

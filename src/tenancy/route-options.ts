/** Decorators with which routes deviate from the default: a project is required, and an access token is read. */
import { applyDecorators, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { HttpRequest } from '../http/request/request.js';
import { bearerOf, invalidToken } from '../http/request/bearer.js';
import { refusal, type KindError } from '../shared/errors.js';
import { isApiKey, projectOfSecret } from '../shared/key-secret.js';
import { agentOf, type Caller } from './caller.js';

const PROJECT = 'kind:project';
const ACCESS_TOKEN = 'kind:access-token';
const HELD = 'kind:held-members';
const AGENTS = 'kind:for-agents';

/** For routes that are the same for all projects, such as the files of a page. */
export const WithoutProject = () => SetMetadata(PROJECT, 'none');

/**
 * For routes whose path names the project (`:project_id`), for clients that send no header of ours: none is read.
 * @param unknown refuses a project that is not there, as everything else that such a path names wrongly
 */
export const WithProjectInPath = (unknown: (request: HttpRequest) => KindError) =>
  SetMetadata(PROJECT, {
    read: ({ params }: HttpRequest) => String(params['project_id']),
    unknown,
  } satisfies NamedProject);

/** For agents: their key names the project, and opens no other route. No other caller comes in. */
export const ForAgents = () =>
  applyDecorators(
    SetMetadata(PROJECT, { read: projectOfAgent, unknown: invalidToken } satisfies NamedProject),
    SetMetadata(AGENTS, true),
  );

/** @throws KindError 401 without a bearer; 403 for one that is no API key */
function projectOfAgent({ headers }: HttpRequest): string {
  const bearer = bearerOf(headers.authorization);
  if (bearer === null) throw refusal('token.missing', "Agents need an agent's key as bearer token");
  if (!isApiKey(bearer)) throw notForOthers();
  const project = projectOfSecret(bearer);
  if (project === undefined) throw invalidToken();
  return project;
}

/** @throws KindError 403 where the key of an agent is used elsewhere, or another key for agents */
export function checkAgent({ forAgents }: RouteOptions, caller: Caller): void {
  const agent = agentOf(caller) !== undefined;
  if (agent === forAgents) return;
  throw agent ? refusal('key.not_here', "An agent's key opens POST /api/lib/mcp alone") : notForOthers();
}

function notForOthers(): KindError {
  return refusal('key.not_here', "Only an agent's key opens this: an API key with agent: true");
}

/** For routes that also work without a project; a header that is sent must be valid. */
export const WithOptionalProject = () => SetMetadata(PROJECT, 'optional');

/**
 * For routes that ignore access tokens: they need none, or verify a token of another type themselves.
 * @param when of which requests the token is ignored; all by default
 */
export const WithoutAccessToken = (when: (request: HttpRequest) => boolean = () => true) =>
  SetMetadata(ACCESS_TOKEN, when);

/** For the routes under `/auth/`, which members reach who are held (`HeldReason`). */
export const ForHeldMembers = () => SetMetadata(HELD, true);

/** Says where a request names its project other than by the header, and refuses one that is not there. */
interface NamedProject {
  readonly read: (request: HttpRequest) => string;
  readonly unknown: (request: HttpRequest) => KindError;
}

export interface RouteOptions {
  readonly forHeld: boolean;
  readonly forAgents: boolean;
  readonly project: 'required' | 'optional' | 'none' | NamedProject;
  /** Whether the token of a request is not looked at. */
  readonly ignoresToken: (request: HttpRequest) => boolean;
}

const NEVER = () => false;

/** The refusal of a path that names a project, kind or name that is not there. It tells nothing of which one it is. */
export function unknownEndpoint(): KindError {
  return refusal('function.unknown', 'There is no such endpoint');
}

/** Reads the options of routes, cached per handler. */
export class RouteOptionsReader {
  readonly #known = new Map<unknown, RouteOptions>();
  readonly #reflector = new Reflector();

  of(context: ExecutionContext): RouteOptions {
    const handler = context.getHandler();
    const known = this.#known.get(handler);
    if (known) return known;
    const places = [handler, context.getClass()];
    const options: RouteOptions = {
      forHeld: this.#reflector.getAllAndOverride<boolean | undefined>(HELD, places) ?? false,
      forAgents: this.#reflector.getAllAndOverride<boolean | undefined>(AGENTS, places) ?? false,
      project: this.#reflector.getAllAndOverride<RouteOptions['project'] | undefined>(PROJECT, places) ?? 'required',
      ignoresToken:
        this.#reflector.getAllAndOverride<RouteOptions['ignoresToken'] | undefined>(ACCESS_TOKEN, places) ?? NEVER,
    };
    this.#known.set(handler, options);
    return options;
  }
}

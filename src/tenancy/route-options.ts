/** Decorators with which routes deviate from the default: a project is required, and an access token is read. */
import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { HttpRequest } from '../http/request/request.js';
import { refusal, type KindError } from '../shared/errors.js';

const PROJECT = 'kind:project';
const ACCESS_TOKEN = 'kind:access-token';
const HELD = 'kind:held-members';

/** For routes that are the same for all projects, such as the files of a page. */
export const WithoutProject = () => SetMetadata(PROJECT, 'none');

/**
 * For routes whose path names the project (`:project_id`), for clients that send no header of ours: none is read.
 * @param unknown refuses a project that is not there, as everything else that such a path names wrongly
 */
export const WithProjectInPath = (unknown: (request: HttpRequest) => KindError) => SetMetadata(PROJECT, { unknown });

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

export interface RouteOptions {
  readonly forHeld: boolean;
  readonly project: 'required' | 'optional' | 'none' | { readonly unknown: (request: HttpRequest) => KindError };
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
      project: this.#reflector.getAllAndOverride<RouteOptions['project'] | undefined>(PROJECT, places) ?? 'required',
      ignoresToken:
        this.#reflector.getAllAndOverride<RouteOptions['ignoresToken'] | undefined>(ACCESS_TOKEN, places) ?? NEVER,
    };
    this.#known.set(handler, options);
    return options;
  }
}

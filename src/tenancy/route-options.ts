/** Decorators with which routes deviate from the default: a project is required, and an access token is read. */
import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

const PROJECT = 'kind:project';
const ACCESS_TOKEN = 'kind:access-token';

/** For routes that are the same for all projects, such as the files of a page. */
export const WithoutProject = () => SetMetadata(PROJECT, 'none');

/** For routes that also work without a project; a header that is sent must be valid. */
export const WithOptionalProject = () => SetMetadata(PROJECT, 'optional');

/** For routes that ignore access tokens: they need none, or verify a token of another type themselves. */
export const WithoutAccessToken = () => SetMetadata(ACCESS_TOKEN, 'none');

export interface RouteOptions {
  readonly project: 'required' | 'optional' | 'none';
  readonly accessToken: 'optional' | 'none';
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
      project: this.#reflector.getAllAndOverride<RouteOptions['project'] | undefined>(PROJECT, places) ?? 'required',
      accessToken:
        this.#reflector.getAllAndOverride<RouteOptions['accessToken'] | undefined>(ACCESS_TOKEN, places) ?? 'optional',
    };
    this.#known.set(handler, options);
    return options;
  }
}

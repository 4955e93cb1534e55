/** What routes of tenants say of themselves where they differ from the others. */
import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

const PROJECT = 'kind:project';
const ACCESS_TOKEN = 'kind:access-token';

/** For routes that are the same for everybody, such as the files of a page. */
export const WithoutProject = () => SetMetadata(PROJECT, 'none');

/** For routes that answer something without a project too; where the header is there, it must be good. */
export const WithOptionalProject = () => SetMetadata(PROJECT, 'optional');

/** For routes that look at no access token: they take no bearer, or check one of another type themselves. */
export const WithoutAccessToken = () => SetMetadata(ACCESS_TOKEN, 'none');

export interface RouteOptions {
  readonly project: 'required' | 'optional' | 'none';
  readonly accessToken: 'optional' | 'none';
}

/** Reads the options of routes, of each once. */
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

/**
 * The private members of Nest and Express that the service uses. No other file uses one, or imports from Nest's inner
 * paths. The versions in package.json are exact, and `test/unit/http/nest-internals.test.ts` fails with the name of a
 * member that a new version lacks.
 */
import type { HttpServer, INestApplication, RequestMethod } from '@nestjs/common';
import type { Controller } from '@nestjs/common/internal';
import type { ContextId } from '@nestjs/core';
import { ContextUtils, ExecutionContextHost, STATIC_CONTEXT } from '@nestjs/core/internal';
import type { GuardsContextCreator, InterceptorsContextCreator, PipesContextCreator } from '@nestjs/core/internal';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { RouterProxy } from '@nestjs/core/router/router-proxy.js';
import type { Express } from 'express';
import type { HttpRequest, HttpResponse } from '../request/request.js';

export { RouteParamtypes } from '@nestjs/common/internal';
export type { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
export { markRejectedByPipes } from '@nestjs/core/router/rejected-by-pipes.js';
export { ContextUtils, ExecutionContextHost, RouterExecutionContext, RouterProxy, STATIC_CONTEXT };

/** The arguments of Nest's `RouterExecutionContext.create`. */
export type CreateArguments = [
  instance: Controller,
  callback: (...args: unknown[]) => unknown,
  methodName: string,
  moduleKey: string,
  requestMethod: RequestMethod,
  contextId?: ContextId,
  inquirerId?: string,
];

/** How Nest runs the handler of a route. */
export interface NestExecutionContext extends Pick<
  RouterExecutionContext,
  'createPipesFn' | 'getMetadata' | 'reflectRedirect' | 'reflectRenderTemplate'
> {
  create(...args: CreateArguments): unknown;
  readonly applicationRef: HttpServer;
  readonly guardsContextCreator: GuardsContextCreator;
  readonly interceptorsContextCreator: InterceptorsContextCreator;
  readonly pipesContextCreator: PipesContextCreator;
}

/** What registers the routes of a Nest application. */
export interface RouterExplorer {
  executionContextCreator?: unknown;
  routerProxy?: unknown;
}

export function explorerOf(app: INestApplication): RouterExplorer | undefined {
  const { routesResolver } = app as unknown as {
    readonly routesResolver?: { readonly routerExplorer?: RouterExplorer };
  };
  return routesResolver?.routerExplorer;
}

/** A layer of Express' router, as far as it is used here. */
export interface RouterLayer {
  readonly handle: (...args: never[]) => unknown;
  readonly rawPath: unknown;
  /** Whether it is middleware for all paths. */
  readonly slash: boolean;
  readonly route?: RouterRoute;
  /** @throws Error with status 400 for malformed percent-encoding */
  match(path: string): { readonly params: Record<string, string> } | false;
}

export interface RouterRoute {
  readonly path: unknown;
  readonly methods: Readonly<Record<string, unknown>>;
  readonly stack: readonly { readonly handle: (...args: never[]) => unknown }[];
  _handlesMethod(method: string): boolean;
}

interface RouterInternals {
  readonly caseSensitive?: boolean;
  readonly strict?: boolean;
  readonly params: object;
  readonly stack: RouterLayer[];
}

/** @param router of an application, or made by `express.Router()` */
export function insideOf(router: object): RouterInternals {
  return router as RouterInternals;
}

/** Lets an application handle a request from its first layer on. */
export function handleWith(app: Express, self: Express, request: HttpRequest, response: HttpResponse): void {
  const { handle } = app as unknown as { readonly handle: (...args: unknown[]) => unknown };
  handle.call(self, request, response, undefined);
}

/** Replaces Nest's implementation of how handlers are called. Call it before the routes are registered. */
import type { INestApplication } from '@nestjs/common';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { RouterProxy } from '@nestjs/core/router/router-proxy.js';
import { DirectExecutionContext, type NestExecutionContext } from './direct-execution.context.js';
import { DirectRouterProxy } from './direct-router.proxy.js';

/** Private parts of Nest's application. */
interface NestInternals {
  readonly routesResolver?: {
    readonly routerExplorer?: { executionContextCreator?: unknown; routerProxy?: unknown };
  };
}

/** @throws Error if the installed version of Nest is built differently */
export function installDirectRoutes(app: INestApplication): void {
  const explorer = (app as unknown as NestInternals).routesResolver?.routerExplorer;
  const nest = explorer?.executionContextCreator;
  if (!explorer || !(nest instanceof RouterExecutionContext) || !(explorer.routerProxy instanceof RouterProxy))
    throw new Error('this version of @nestjs/core has no RouterExplorer with the parts that are replaced');
  explorer.executionContextCreator = new DirectExecutionContext(nest as unknown as NestExecutionContext);
  explorer.routerProxy = new DirectRouterProxy();
}

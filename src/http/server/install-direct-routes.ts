/** Replaces Nest's implementation of how handlers are called. Call it before the routes are registered. */
import type { INestApplication } from '@nestjs/common';
import { DirectExecutionContext } from './direct-execution.context.js';
import { DirectRouterProxy } from './direct-router.proxy.js';
import { explorerOf, RouterExecutionContext, RouterProxy, type NestExecutionContext } from './nest-internals.js';

/** @throws Error if the installed version of Nest is built differently */
export function installDirectRoutes(app: INestApplication): void {
  const explorer = explorerOf(app);
  const nest = explorer?.executionContextCreator;
  if (!explorer || !(nest instanceof RouterExecutionContext) || !(explorer.routerProxy instanceof RouterProxy))
    throw new Error('this version of @nestjs/core has no RouterExplorer with the parts that are replaced');
  explorer.executionContextCreator = new DirectExecutionContext(nest as unknown as NestExecutionContext);
  explorer.routerProxy = new DirectRouterProxy();
}

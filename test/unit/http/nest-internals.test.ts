/** Each private member of Nest and Express that the service uses: a version without it fails here, with its name. */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { afterAll, expect, it } from 'vitest';
import {
  explorerOf,
  insideOf,
  RouteParamtypes,
  RouterExecutionContext,
  RouterProxy,
  STATIC_CONTEXT,
} from '../../../src/http/server/nest-internals.js';
import { RouteSamples } from '../../support/route-samples.js';

const app = await NestFactory.create<NestExpressApplication>(RouteSamples, { logger: false });
const explorer = explorerOf(app);
const context = explorer?.executionContextCreator as object;
await app.init();
afterAll(() => app.close());
const plain = express();
plain.use((_request, _response, next) => next());
plain.get('/a/:id', (_, response) => response.end());
const [middleware, layer] = insideOf(plain.router).stack;
const methods = (of: object, ...names: string[]) => names.every((name) => typeof Reflect.get(of, name) === 'function');

it.each<[string, () => unknown]>([
  ['routesResolver.routerExplorer.executionContextCreator', () => context instanceof RouterExecutionContext],
  ['routerExplorer.routerProxy', () => explorer?.routerProxy instanceof RouterProxy],
  ['RouterExecutionContext.create', () => methods(context, 'create')],
  ['RouterExecutionContext.createPipesFn', () => methods(context, 'createPipesFn')],
  ['RouterExecutionContext.getMetadata', () => methods(context, 'getMetadata')],
  ['RouterExecutionContext.reflectRedirect', () => methods(context, 'reflectRedirect')],
  ['RouterExecutionContext.reflectRenderTemplate', () => methods(context, 'reflectRenderTemplate')],
  ['RouterExecutionContext.applicationRef', () => methods(Reflect.get(context, 'applicationRef') as object, 'reply')],
  ['guardsContextCreator', () => methods(Reflect.get(context, 'guardsContextCreator') as object, 'create')],
  ['interceptorsContextCreator', () => methods(Reflect.get(context, 'interceptorsContextCreator') as object, 'create')],
  ['pipesContextCreator', () => methods(Reflect.get(context, 'pipesContextCreator') as object, 'create')],
  ['RouterProxy.createProxy', () => methods(RouterProxy.prototype, 'createProxy')],
  ['STATIC_CONTEXT', () => typeof STATIC_CONTEXT.id === 'number'],
  ['RouteParamtypes.RESPONSE', () => RouteParamtypes.RESPONSE],
  ['RouteParamtypes.NEXT', () => RouteParamtypes.NEXT],
  ['Router.params', () => typeof insideOf(plain.router).params === 'object'],
  ['Router.caseSensitive', () => insideOf(express.Router({ caseSensitive: true })).caseSensitive],
  ['Router.strict', () => insideOf(express.Router({ strict: true })).strict],
  ['Layer.slash', () => middleware?.slash === true && layer?.slash === false],
  ['Layer.rawPath', () => layer?.rawPath === '/a/:id'],
  ['Layer.handle', () => typeof middleware?.handle === 'function'],
  ['Layer.match', () => JSON.stringify(layer?.match('/a/1')).includes('"id":"1"')],
  ['Route.path', () => layer?.route?.path === '/a/:id'],
  ['Route.methods', () => layer?.route?.methods['get']],
  ['Route.stack', () => layer?.route?.stack.length === 1 && typeof layer.route.stack[0]?.handle === 'function'],
  ['Route._handlesMethod', () => layer?.route?._handlesMethod('GET') === true && !layer.route._handlesMethod('POST')],
  ['app.handle', () => methods(plain, 'handle')],
])('%s is there', (_, isThere) => {
  expect(isThere()).toBeTruthy();
});

/**
 * Collects all routes, and the fixed parts of documents, from the decorators of controllers and DTOs with
 * @nestjs/swagger.
 */
import { type INestApplication, type INestApplicationContext, Injectable } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { PROJECT_HEADER } from '../../http/header-names.js';
import { ROUTE_EXTENSION, type RouteExtension, type RouteTag, type RouteFacts } from '../../http/route/api-route.js';
import type { QueryName } from '../../http/route/query-names.js';
import type { OpenApiMethod, OpenApiDocument, RequestBody, Schema } from './openapi.js';
import type { KindDef } from '../../model/model.js';
import type { ErrorStatus } from './operation/error.responses.js';

/** The fixed members at the beginning of every document. */
type DocumentFrame = Pick<OpenApiDocument, 'openapi' | 'info'>;

export interface Application {
  readonly frame: DocumentFrame;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** In the order in which the application matches them. */
  readonly routes: readonly DocumentedRoute[];
  /** The schemas of bodies of fixed shape, by name. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

const OPENAPI_METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const satisfies readonly OpenApiMethod[];

type SwaggerOperation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Describes the application's controllers. */
export function describeApplication(app: INestApplicationContext): Application {
  const { openapi, info, paths, components } = SwaggerModule.createDocument(withAdapter(app), documentConfig(), {
    autoTagControllers: false,
  });
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    OPENAPI_METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? routesOf(path, method, operation) : [];
    }),
  );
  const schemas = Object.entries(components?.schemas ?? {});
  return {
    frame: { openapi, info },
    securitySchemes: components?.securitySchemes ?? {},
    routes,
    schemas: Object.fromEntries(
      schemas.map(([name, schema]) => [name, { ...inDraft2020(schema), additionalProperties: false }]),
    ),
  };
}

/** That of a command has no HTTP server, of which @nestjs/swagger asks the name and the settings. */
function withAdapter(app: INestApplicationContext): INestApplication {
  if ('getHttpAdapter' in app) return app as INestApplication;
  const http = { getHttpAdapter: () => ({ getType: () => 'express' }), config: new ApplicationConfig() };
  return Object.assign(Object.create(app) as INestApplication, http);
}

function documentConfig() {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addApiKey({ type: 'apiKey', in: 'header', name: PROJECT_HEADER, description: 'The project.' }, 'project')
    .addBearerAuth(
      {
        type: 'http',
        bearerFormat: 'JWT or API key',
        description: 'The `access_token` of a sign-in, or the `secret` of an API key.',
      },
      'bearer',
    )
    .build();
}

/** A route, and the more specific variants that it also serves. */
function routesOf(path: string, method: OpenApiMethod, operation: SwaggerOperation): DocumentedRoute[] {
  const { facts, variants } =
    (operation as unknown as Record<string, RouteExtension>)[ROUTE_EXTENSION] ?? missingRouteFacts(path);
  const { operationId: id = '', tags = [], summary = '', description, parameters = [], requestBody } = operation;
  const query = parameters.flatMap((each) => ('in' in each && each.in === 'query' ? [each.name as QueryName] : []));
  const route: DocumentedRoute = {
    ...facts,
    id,
    method,
    path,
    query,
    summary,
    tag: tags[0] as RouteTag,
    ...(description !== undefined && { description }),
    ...(requestBody && { body: requestBody as RequestBody }),
  };
  return [route, ...variants.map((variant) => ({ ...variant, method, query: variant.query ?? [] }))];
}

function missingRouteFacts(path: string): never {
  throw new Error(`the route ${path} lacks @ApiRoute()`);
}

/** Converts `nullable` of OpenAPI 3.0, which @nestjs/swagger writes, to JSON Schema 2020-12. */
function inDraft2020<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(inDraft2020) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as Record<string, unknown>;
  const members = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inDraft2020(value)]));
  return (nullable === true ? { ...members, type: [members['type'], 'null'] } : members) as T;
}

export interface DocumentedRoute extends RouteFacts {
  readonly id: string;
  readonly method: OpenApiMethod;
  readonly path: string;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly description?: string;
  readonly query: readonly QueryName[];
  /** The body, if its shape is fixed. */
  readonly body?: RequestBody;
}

/** Statuses of any request: invalid HTTP, a head that is too large, an internal error. */
export const COMMON_STATUSES: readonly ErrorStatus[] = [400, 431, 500];

/** Statuses of any route of a project. */
export const PROJECT_STATUSES: readonly ErrorStatus[] = [400, 401, 403, 404, 429, 431, 500, 503];

const TAGS_WITHOUT_KEY: ReadonlySet<RouteTag> = new Set(['Authentication', 'Documentation', 'Service']);

/** Whether the answers of a route can set or delete the cookie with the refresh token. */
export function takesCookie({ id, content }: DocumentedRoute): boolean {
  return content === 'session' || content === 'sessionOrCode' || id === 'auth.signout';
}

/** What reads answer that may come from a replica. */
const OLDER: ReadonlySet<unknown> = new Set<RouteFacts['content']>(['units', 'anyUnits', 'linkedUnits', 'groups']);

/** Whether the requests of a route can accept older data: not those of remote kinds, which no replica has. */
export function takesConsistency({ method, content }: DocumentedRoute, kind?: KindDef): boolean {
  if (kind && !kind.storage.transactional) return false;
  return method === 'get' && OLDER.has(content);
}

/** Whether the requests of a route can have an idempotency key: not for remote kinds, nor for answers with a secret. */
export function takesKey({ method, tag, alone, keepsAnswers, of, form }: DocumentedRoute, kind?: KindDef): boolean {
  if (kind && of === 'all' && !kind.storage.transactional) return false;
  if (form === 'create' && kind?.traits?.secret !== undefined) return false;
  return method !== 'get' && (!alone || keepsAnswers === true) && !TAGS_WITHOUT_KEY.has(tag);
}

@Injectable()
export class ApplicationRoutes {
  #app: INestApplicationContext | undefined;
  #described: Application | undefined;

  /** Called once, when the application has been created; by commands that need it. */
  describe(app: INestApplicationContext): void {
    this.#app = app;
  }

  get described(): Application {
    if (!this.#app) throw new Error('there is no application to describe');
    return (this.#described ??= describeApplication(this.#app));
  }
}

/** The dispatcher sends each request through the same middleware to the same route as Express does. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { FastExpressAdapter } from '../../../src/http/server/fast-express.adapter.js';
import type { RouterLayer } from '../../../src/http/server/nest-internals.js';
import { RouteTable } from '../../../src/http/server/route-table.js';
import { applicationDescription } from '../../support/application.js';
import { exchange } from '../../support/exchange.js';
import { runs } from '../../support/runs.js';

const described = await applicationDescription();
/** The routes of the service, and others that overlap with them. */
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...described.routes.map(({ method, path }) => [method, path.replace(/\{(\w+)\}/g, ':$1')] as const),
  ['get', '/a/:x'],
  ['get', '/a/b'],
  ['get', '/:y/c'],
  ['post', '/a/c'],
  ['all', '/all/:z'],
  ['head', '/head'],
  ['get', '/head'],
  ['get', '/files/*path'],
  ['get', '/part-:id'],
  ['get', '/optional{/:id}'],
  ['get', '/mounted/route'],
  ['delete', '/a/:x'],
  ['all', '/api/lib/*path'],
];

type Steps = Request & { steps?: string[] };

function step(name: string) {
  return (request: Steps, _: Response, next: NextFunction): void => {
    (request.steps ??= []).push(`${name} ${request.url} ${request.baseUrl}`);
    next();
  };
}

function answer(name: string) {
  return (request: Steps, response: Response): void => {
    const { method, url, baseUrl, originalUrl, params, steps } = request;
    const route = request.route as { path: unknown };
    const own = request.res === response && typeof request.next === 'function' && response.locals !== undefined;
    response.status(200).json({ name, method, url, baseUrl, originalUrl, params, steps, route: route.path, own });
  };
}

function addRoutes(app: Express): void {
  app.use(step('first'));
  app.use((request, _, next) => {
    const how = request.headers['x-middleware'];
    if (how === 'throws') throw Object.assign(new Error('thrown'), { status: 418 });
    if (how === 'rejects') return Promise.reject(Object.assign(new Error('rejected'), { status: 418 }));
    next(how);
  });
  app.use('/mounted', step('mounted'));
  for (const [method, path] of ROUTES) {
    app[method as 'get'](path, (request, response, next) => {
      const how = request.headers['x-handler'];
      if (how === 'throws') throw Object.assign(new Error('thrown'), { status: 418 });
      if (how === 'rejects') return Promise.reject(Object.assign(new Error('rejected'), { status: 418 }));
      if (how !== undefined) next(how === 'next' ? undefined : how);
      else answer(`${method} ${path}`)(request, response);
    });
  }
  app.use(step('last'));
  app.use((error: unknown, request: Steps, response: Response, next: NextFunction) => {
    if (request.headers['x-filter'] === 'fails') return next(error);
    response.status(500).json({ error: String(error), steps: request.steps });
  });
}

const servers: Server[] = [];
// Express writes errors that no filter handles to standard error.
const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
afterAll(() => {
  written.mockRestore();
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const adapter = new FastExpressAdapter({ compression: true });
adapter.initHttpServer();
const app = adapter.getInstance<Express>();
app.set('env', 'production');
addRoutes(app);
const fast = await listen(adapter.getHttpServer());
const other = new FastExpressAdapter({ compression: true });
other.initHttpServer();
const expressServer = (other.getHttpServer() as Server).removeAllListeners('request').on('request', app);
const reference = await listen(expressServer);

async function expectEqual(method: string, path: string, headers: Record<string, string> = {}): Promise<void> {
  const [a, b] = [
    await exchange(fast, { method, path, headers }),
    await exchange(reference, { method, path, headers }),
  ].map(({ status, text, headers: answered }) => {
    for (const name of ['date', 'x-request-id']) answered.delete(name);
    return { status, text, headers: Object.fromEntries(answered) };
  });
  expect(a, `${method} ${path}`).toEqual(b);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'];

const literal = fc.constantFrom(
  ...new Set(ROUTES.flatMap(([, path]) => path.split('/')).filter((segment) => /^[\w-]+$/.test(segment))),
);
const hostile = fc.constantFrom(
  ...['', '.', '..', '%2F', '%2f', '%', '%zz', '%C3%A9', '%00', 'Unit', 'UNIT', ':kind_id', '*', '*path', 'a;b'],
  ...[
    'a+b',
    'a b'.replace(' ', '%20'),
    '__proto__',
    'constructor',
    'toString',
    'part-7',
    'part-',
    '~',
    'a#b',
    '//',
    '\\',
  ],
);
const path = fc
  .tuple(
    fc.array(fc.oneof({ weight: 4, arbitrary: literal }, hostile, fc.constant('0193-id')), { maxLength: 9 }),
    fc.constantFrom('', '', '', '/', '//', '?', '?a=b', '?a=/b/c?d', '?a=#b', '#b'),
    fc.constantFrom('/', '/', '/', '/api/lib/', '/api/lib/', '//', 'http://other/', '*'),
  )
  .map(([segments, end, start]) => `${start}${segments.join('/')}${end}`);

/** Paths that fit a pattern, with some of its parameters replaced. */
const fitting = fc
  .tuple(
    fc.constantFrom(...ROUTES),
    fc.array(fc.oneof(literal, hostile, fc.constant('x')), { minLength: 8, maxLength: 8 }),
  )
  .map(([[, pattern], values]) => {
    const rest = [...values];
    return pattern.replaceAll(/[:*]\w+/g, () => rest.pop() ?? '').replaceAll(/[{}]/g, '');
  });

it('answers every path as Express', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...METHODS), fc.oneof(path, fitting), (method, asked) =>
      expectEqual(method, asked),
    ),
    { numRuns: runs(600) },
  );
}, 60_000);

it('passes errors and calls of next on as Express', async () => {
  const how = fc.constantFrom('', '', 'next', 'route', 'router', 'an error', 'throws', 'rejects');
  const handled = fc.record({ handler: how, middleware: how.filter((each) => each !== 'next'), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('GET', 'HEAD', 'POST'), fc.oneof(fitting, path), handled, (method, asked, given) =>
      expectEqual(method, asked, {
        ...(given.handler !== '' && { 'x-handler': given.handler }),
        ...(given.middleware !== '' && { 'x-middleware': given.middleware }),
        ...(given.fails && { 'x-filter': 'fails' }),
      }),
    ),
    { numRuns: runs(300) },
  );
}, 60_000);

it('finds the routes of the service itself', () => {
  const { stack } = app.router as unknown as { stack: RouterLayer[] };
  const table = new RouteTable(stack);
  for (const [method, pattern] of ROUTES.slice(0, described.routes.length)) {
    const asked = pattern.replaceAll(/:\w+/g, 'x1');
    expect(table.find(method.toUpperCase(), asked)?.route.path, asked).toBeDefined();
  }
});

it('knows layers that were added after the first request', async () => {
  await expectEqual('GET', '/added');
  app.router.stack.splice(-2, 0, ...added());
  await expectEqual('GET', '/added');
  expect((await exchange(fast, { method: 'GET', path: '/added', headers: {} })).status).toBe(200);
});

function added(): Express['router']['stack'] {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/added', answer('added'));
  return router.stack;
}

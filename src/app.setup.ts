/** The HTTP application as `main` serves it and tests drive it. */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { Metrics } from './health/metrics.js';
import { ErrorResponder } from './http/error.responder.js';
import { FastExpressAdapter } from './http/fast-express.adapter.js';
import { NestLogger } from './http/logger.js';
import { requestIdMiddleware } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import type { Platform } from './platform.module.js';

export async function createApp(platform: Platform, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.register(platform), new FastExpressAdapter(), {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const { config } = platform;
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', () => ({}));
  app.use(requestIdMiddleware);
  app.use(requestLog(logger));
  app.use(app.get(Metrics).middleware);
  if (config.corsOrigins === '*' || config.corsOrigins.length > 0) app.enableCors(corsOptions(config));
  app.use(answerOptions);
  app.useGlobalFilters(new ErrorResponder(logger));
  await app.init();
  return app;
}

/** `OPTIONS` asks nothing of a tenant: it needs no project header, whether other origins are allowed or not. */
function answerOptions(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS') return next();
  response.writeHead(204, { Allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' });
  response.end();
}

/** Preflights need no project header: they end before the guard. */
function corsOptions({ corsOrigins }: Config) {
  return {
    origin: corsOrigins === '*' ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'if-match', 'if-none-match', 'kind-project-key', 'x-request-id'],
    exposedHeaders: ['etag', 'x-request-id', 'retry-after'],
    maxAge: 600,
  };
}

/** Creates the HTTP application, for `service.ts` and for tests. */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { tusOptions } from './file/resumable/tus.interceptor.js';
import { Metrics } from './metrics/metrics.js';
import { serverTiming } from './metrics/server-timing.js';
import { Traces } from './metrics/tracing/traces.js';
import { ApplicationRoutes } from './doc/openapi/application.js';
import { redirectTrailingSlash } from './doc/doc.controller.js';
import { requestLifecycle } from './http/server/request-lifecycle.js';
import { ErrorResponder } from './http/server/error.responder.js';
import { InnerRoutes } from './http/server/inner-routes.js';
import { FastExpressAdapter } from './http/server/fast-express.adapter.js';
import { installDirectRoutes } from './http/server/direct-execution.context.js';
import { corsOptions } from './http/cors.js';
import { NestLogger } from './http/log/logger.js';
import { answerOptions } from './http/server/path-methods.js';
import { requestLog } from './http/server/request-log.js';
import { OpenRequests } from './http/server/open-requests.js';
import type { Platform } from './platform.module.js';

export async function createApp(platform: Platform, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register(platform),
    new FastExpressAdapter(platform.config),
    {
      bodyParser: false,
      logger: new NestLogger(logger),
      abortOnError: false,
    },
  );
  const { config } = platform;
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', () => ({}));
  const timing = config.serverTiming === 'off' ? [] : [serverTiming(config.serverTiming)];
  const watchers = [...(await app.get(Traces).start()), ...timing];
  app.use(requestLifecycle(app.get(OpenRequests), [requestLog(logger), app.get(Metrics).observe], watchers));
  if (config.corsOrigins === '*' || config.corsOrigins.length > 0) app.enableCors(corsOptions(config));
  app.use(tusOptions(config));
  app.use(answerOptions);
  app.use(redirectTrailingSlash);
  app.useGlobalFilters(new ErrorResponder(logger));
  installDirectRoutes(app);
  await app.init();
  app.get(ApplicationRoutes).describe(app);
  app.get(InnerRoutes).use(app.getHttpAdapter().getInstance());
  return app;
}

/** Handlers answer exactly as with Nest's own implementation, whatever features of Nest they use. */
import type { AddressInfo } from 'node:net';
import { Injectable, type ExecutionContext, type NestInterceptor, type CallHandler } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { map } from 'rxjs';
import { afterAll, expect, it } from 'vitest';
import { FastExpressAdapter } from '../../../src/http/server/fast-express.adapter.js';
import { installDirectRoutes } from '../../../src/http/server/direct-execution.context.js';
import { PreparingInterceptor } from '../../../src/http/server/preparing.interceptor.js';
import { TenancyInterceptor } from '../../../src/tenancy/tenancy.interceptor.js';
import { RouteSamples, ROUTE_SAMPLES } from '../../support/route-samples.js';

const apps: NestExpressApplication[] = [];
afterAll(async () => void (await Promise.all(apps.map((app) => app.close()))));

async function start(direct: boolean, interceptor?: NestInterceptor): Promise<string> {
  const app = await NestFactory.create<NestExpressApplication>(
    RouteSamples,
    new FastExpressAdapter({ compression: true }),
    {
      bodyParser: false,
      logger: false,
    },
  );
  apps.push(app);
  if (interceptor) app.useGlobalInterceptors(interceptor);
  if (direct) installDirectRoutes(app);
  await app.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
}

async function answerOf(base: string, [method, path, headers = {}]: (typeof ROUTE_SAMPLES)[number]) {
  const response = await fetch(`${base}${path}`, { method, headers, redirect: 'manual' });
  const answered = new Headers(response.headers);
  answered.delete('date');
  return { status: response.status, headers: Object.fromEntries(answered), text: await response.text() };
}

const [direct, nest] = [await start(true), await start(false)];

it.each(ROUTE_SAMPLES.map((sample) => [`${sample[0]} ${sample[1]}`, sample] as const))('%s', async (_, sample) => {
  expect(await answerOf(direct, sample)).toEqual(await answerOf(nest, sample));
});

it('including the order of the steps', async () => {
  const { text } = await answerOf(direct, ['GET', '/prepared/late']);
  const first = 'first of PreparedController.late';
  expect(JSON.parse(text)).toEqual({ steps: [first, 'late', first] });
});

it('with a global interceptor, which maps all results', async () => {
  const wrapping: NestInterceptor = {
    intercept: (_: ExecutionContext, next: CallHandler) => next.handle().pipe(map((wrapped: unknown) => ({ wrapped }))),
  };
  const bases = [await start(true, wrapping), await start(false, wrapping)] as const;
  for (const sample of ROUTE_SAMPLES) {
    expect(await answerOf(bases[0], sample), sample[1]).toEqual(await answerOf(bases[1], sample));
  }
});

it('a preparing interceptor is called without an observable', async () => {
  @Injectable()
  class Counting extends PreparingInterceptor {
    prepared = 0;
    intercepted = 0;
    prepare(): void {
      this.prepared += 1;
    }
    override intercept(context: ExecutionContext, next: CallHandler) {
      this.intercepted += 1;
      return super.intercept(context, next);
    }
  }
  const counting = new Counting();
  const base = await start(true, counting);
  await answerOf(base, ['GET', '/prepared/steps']);
  expect(counting).toMatchObject({ prepared: 1, intercepted: 0 });
  await answerOf(base, ['GET', '/prepared/mapped']);
  expect(counting).toMatchObject({ prepared: 2, intercepted: 1 });
  expect(TenancyInterceptor.prototype).toBeInstanceOf(PreparingInterceptor);
});

/** The routes and bodies that the controllers describe, without a running service. */
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { describeApplication, type Application } from '../../src/doc/openapi/application.js';
import type { Platform } from '../../src/platform.module.js';

let described: Promise<Application> | undefined;

export function applicationDescription(): Promise<Application> {
  return (described ??= describe());
}

async function describe(): Promise<Application> {
  const module = AppModule.register({ config: {} } as Platform);
  return describeApplication(await NestFactory.create(module, { preview: true, logger: false }));
}

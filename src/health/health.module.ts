import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import { Traces } from './tracing/traces.js';

@Module({})
export class HealthModule {
  static register({ metrics }: Pick<Config, 'metrics'>): DynamicModule {
    return {
      module: HealthModule,
      providers: [Metrics, Readiness, Traces],
      exports: [Metrics, Readiness, Traces],
      controllers: metrics ? [HealthController] : [HealthController, MetricsController],
    };
  }
}

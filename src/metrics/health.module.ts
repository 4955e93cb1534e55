import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { ProjectLoads } from './project-loads.js';
import { ProjectMetricsController } from './project-metrics.controller.js';
import { Readiness } from './readiness.js';
import { Traces } from './tracing/traces.js';

@Module({})
export class HealthModule {
  static register({ metrics }: Pick<Config, 'metrics'>): DynamicModule {
    return {
      module: HealthModule,
      providers: [Metrics, ProjectLoads, Readiness, Traces],
      exports: [Metrics, ProjectLoads, Readiness, Traces],
      controllers: [HealthController, ProjectMetricsController, ...(metrics ? [] : [MetricsController])],
    };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { HealthController, MetricsController, ProjectMetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { ProjectLoads } from './project-loads.js';
import { Readiness } from './readiness.js';
import { Traces } from './tracing/traces.js';

@Module({})
export class MetricsModule {
  static register({ metrics }: Pick<Config, 'metrics'>): DynamicModule {
    return {
      module: MetricsModule,
      providers: [Metrics, ProjectLoads, Readiness, Traces],
      exports: [Metrics, ProjectLoads, Readiness, Traces],
      controllers: [HealthController, ProjectMetricsController, ...(metrics ? [] : [MetricsController])],
    };
  }
}

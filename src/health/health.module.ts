import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

@Module({ providers: [Metrics, Readiness], exports: [Metrics, Readiness], controllers: [HealthController] })
export class HealthModule {}

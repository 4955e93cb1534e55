import { Controller, Get, Header } from '@nestjs/common';
import { Metrics, METRICS_TYPE } from './metrics.js';

/** Left out where the numbers have an address of their own. */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Header('Content-Type', METRICS_TYPE)
  @Header('X-Content-Type-Options', 'nosniff')
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}

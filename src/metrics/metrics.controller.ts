import { Controller, Get, Header } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { Metrics, METRICS_TYPE } from './metrics.js';

/** Not registered if metrics have a separate address. */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @ApiRoute({ id: 'metrics', tag: 'Service', needs: 'nothing', summary: 'Numbers for Prometheus', media: 'text/plain' })
  @Header('Content-Type', METRICS_TYPE)
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}

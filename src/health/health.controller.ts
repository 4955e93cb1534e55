import { Controller, Get, Header } from '@nestjs/common';
import { answerOf, type Answer } from '../http/answer.js';
import { WithoutProject } from '../tenancy/project.guard.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

@Controller()
@WithoutProject()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  @Get('health/live')
  live(): Answer {
    return answerOf({ status: 'ok' });
  }

  @Get('health/ready')
  async ready(): Promise<Answer> {
    await this.readiness.check();
    return answerOf({ status: 'ok' });
  }

  @Get('metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @Header('X-Content-Type-Options', 'nosniff')
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}

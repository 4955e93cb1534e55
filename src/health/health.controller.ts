import { Controller, Get } from '@nestjs/common';
import { answerOf, type Answer } from '../http/answer.js';
import { Readiness } from './readiness.js';

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health/live')
  live(): Answer {
    return answerOf({ status: 'ok' });
  }

  @Get('health/ready')
  async ready(): Promise<Answer> {
    await this.readiness.check();
    return answerOf({ status: 'ok' });
  }
}

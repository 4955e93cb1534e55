import { Controller, Get } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import { Readiness } from './readiness.js';

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health/live')
  @ApiRoute({ id: 'health.live', tag: 'Service', needs: 'nothing', summary: 'Whether it runs', content: 'health' })
  live(): Answer {
    return jsonAnswer({ status: 'ok' });
  }

  @Get('health/ready')
  @ApiRoute({
    id: 'health.ready',
    tag: 'Service',
    needs: 'nothing',
    summary: 'Whether it can serve',
    content: 'health',
    refuses: [503],
  })
  async ready(): Promise<Answer> {
    await this.readiness.check();
    return jsonAnswer({ status: 'ok' });
  }
}

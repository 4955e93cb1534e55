import { All, Controller, Module, Req } from '@nestjs/common';
import { refusal } from './shared/errors.js';
import type { HttpRequest } from './http/request.js';
import { loggedPath } from './http/request-log.js';

/** Everything else under the service's path: 404, but only to those whom the guard lets in. */
@Controller('api/lib')
export class UnknownRouteController {
  @All('*path')
  refuse(@Req() request: HttpRequest): never {
    throw refusal('route.unknown', `No ${request.method} ${loggedPath(request.path).slice(0, 200)}`);
  }
}

@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

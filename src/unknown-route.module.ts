import { All, Controller, Module, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { unknownRoute } from './http/server/path-methods.js';
import type { HttpRequest } from './http/request/request.js';
import { TenancyInterceptor } from './tenancy/tenancy.interceptor.js';

/** Everything else under the service's path: 404 or 405, but only to those whom the interceptor lets in. */
@Controller('api/lib')
@ApiExcludeController()
@UseInterceptors(TenancyInterceptor)
export class UnknownRouteController {
  @All('*path')
  refuse(@Req() request: HttpRequest): never {
    throw unknownRoute(request);
  }
}

@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

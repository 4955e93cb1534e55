import { All, Controller, Module, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { unknownRoute } from './http/server/path-methods.js';
import type { HttpRequest } from './http/request/request.js';
import { TenancyInterceptor } from './tenancy/tenancy.interceptor.js';

/** All other paths under `/api/lib`: 404 or 405, after the checks of the interceptor. */
@Controller('api/lib')
@ApiExcludeController()
@UseInterceptors(TenancyInterceptor)
class UnknownRouteController {
  @All('*path')
  refuse(@Req() request: HttpRequest): never {
    throw unknownRoute(request);
  }
}

@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

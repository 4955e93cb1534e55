import { All, Controller, Module, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { UnknownEndpointController } from './function/endpoint.controller.js';
import { FunctionModule } from './function/function.module.js';
import { unknownRoute } from './http/server/path-methods.js';
import type { HttpRequest } from './http/request/request.js';
import { WithoutProject } from './tenancy/route-options.js';
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

/** Below addresses that take no header of ours, which is not asked for then: 404 or 405. */
@Controller('api/lib')
@ApiExcludeController()
@WithoutProject()
@UseInterceptors(TenancyInterceptor)
class UnknownAddressController {
  @All(['mcp{/*path}', 'project/:project_id/file/*path', 'project/:project_id/provider/*path'])
  refuse(@Req() request: HttpRequest): never {
    throw unknownRoute(request);
  }
}

/** The path of an endpoint may be that of a unit `hook` of a kind `project`, so that all other routes come first. */
@Module({
  imports: [FunctionModule],
  controllers: [UnknownEndpointController, UnknownAddressController, UnknownRouteController],
})
export class UnknownRouteModule {}

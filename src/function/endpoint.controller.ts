import { All, Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { Runner } from '../run/runner.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { unknownEndpoint, WithoutAccessToken, WithProjectInPath } from '../tenancy/route-options.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { EndpointService } from './endpoint.service.js';
import { EndpointRates } from './run/endpoint-rates.js';

interface EndpointParams {
  readonly kind_id: string;
  readonly endpoint_name: string;
}

const ENDPOINT = {
  tag: 'Functions',
  of: 'none',
  needs: 'nothing',
  alone: true,
  administrators: true,
  media: '*/*',
  form: 'endpoint',
  summary: 'Call an endpoint of %',
  description: 'For other services: it takes neither the header of the project nor a token.',
  refuses: [403, 404, 405, 429, 503],
} as const;

/** Calls of other services, which know neither the headers nor the bodies of this one: none of theirs is interpreted. */
@Controller('api/lib/project/:project_id/hook/:kind_id/:endpoint_name')
@WithProjectInPath(unknownEndpoint)
@WithoutAccessToken()
@UseInterceptors(EndpointRates, TenancyInterceptor)
export class EndpointController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly runner: Runner,
  ) {}

  @Get()
  @ApiRoute({ ...ENDPOINT, id: 'endpoint.get' })
  get(@Param() path: EndpointParams, @Req() request: HttpRequest, @Scope() scope: RequestScope): Promise<Answer> {
    return this.#call('GET', path, request, scope);
  }

  @Post()
  @ApiRoute({ ...ENDPOINT, id: 'endpoint.post' })
  post(@Param() path: EndpointParams, @Req() request: HttpRequest, @Scope() scope: RequestScope): Promise<Answer> {
    return this.#call('POST', path, request, scope);
  }

  @Put()
  @ApiRoute({ ...ENDPOINT, id: 'endpoint.put' })
  put(@Param() path: EndpointParams, @Req() request: HttpRequest, @Scope() scope: RequestScope): Promise<Answer> {
    return this.#call('PUT', path, request, scope);
  }

  @Delete()
  @ApiRoute({ ...ENDPOINT, id: 'endpoint.delete' })
  delete(@Param() path: EndpointParams, @Req() request: HttpRequest, @Scope() scope: RequestScope): Promise<Answer> {
    return this.#call('DELETE', path, request, scope);
  }

  #call(method: string, path: EndpointParams, request: HttpRequest, scope: RequestScope): Promise<Answer> {
    const command = this.endpoints.call({ method, kind: path.kind_id, name: path.endpoint_name }, request);
    return this.runner.run(this.runner.begin(scope, command), (limit) => bodyBytes(request, limit));
  }
}

/** Other methods of endpoints, and what is none: refused as calls of endpoints are, and not for want of a header. */
@Controller('api/lib/project/:project_id/hook')
@ApiExcludeController()
@WithProjectInPath(unknownEndpoint)
@WithoutAccessToken()
@UseInterceptors(EndpointRates, TenancyInterceptor)
export class UnknownEndpointController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly runner: Runner,
  ) {}

  @All('*path')
  async refuse(
    @Param('path') path: readonly string[],
    @Req() request: HttpRequest,
    @Scope() scope: RequestScope,
  ): Promise<Answer> {
    const [kind, name, ...more] = path;
    if (kind === undefined || name === undefined || more.length > 0) throw unknownEndpoint();
    const command = this.endpoints.call({ method: request.method, kind, name }, request);
    return this.runner.run(this.runner.begin(scope, command), (limit) => bodyBytes(request, limit));
  }
}

import { Controller, Get, Inject, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Logger } from 'pino';
import { HTML, PAGE_POLICY } from '../../http/answer/static-file.js';
import { LOGGER } from '../../http/log/logger.js';
import type { HttpRequest, HttpResponse } from '../../http/request/request.js';
import { loggedIds } from '../../http/request/request-id.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ANSWER_NAMES, START_QUERY } from '../../http/route/query-names.js';
import { refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import { bodyBytes } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { WithoutAccessToken, WithProjectInPath } from '../../tenancy/route-options.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf } from '../auth-request.js';
import { readStartQuery } from './start-query.js';
import { unknownProvider } from './provider-store.js';
import { type Redirect, ProviderFlow } from './provider-flow.js';
import { RefusalsAsPages, stoppedPage } from './stopped-page.js';

const ROUTE = { tag: 'Authentication', needs: 'nothing', alone: true } as const;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const LOCAL = 'http://localhost';
const NOT_ASKED_FOR =
  'It was begun more than ten minutes ago or in another browser, or has been finished already. Nobody was signed in. Go back to the application and sign in again.';
/** Codes and states are in the addresses. */
const HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

/** What browsers open to sign in with an identity provider: they send no header of ours. */
@Controller('api/lib/project/:project_id/provider/:provider_id')
@WithProjectInPath(({ params }) => unknownProvider(String(params['provider_id'])))
@WithoutAccessToken()
@UseInterceptors(RefusalsAsPages, TenancyInterceptor)
export class ProviderController {
  constructor(
    private readonly flow: ProviderFlow,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @ApiRoute({
    id: 'provider.start',
    ...ROUTE,
    leads: 302,
    summary: 'Lead a browser to an identity provider',
    description:
      'It comes back to `redirect_to` with `code` and `state`, or `error` and `state`. A refusal is a page where `Accept` prefers `text/html`.',
    query: START_QUERY,
    refuses: [400, 404, 429, 503],
  })
  async start(
    @Scope() { project }: RequestScope,
    @Param('provider_id') id: string,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
  ): Promise<void> {
    const query = readStartQuery(request.url);
    redirect(response, 302, await this.flow.start(project, authRequestOf(request), id, query, request.headers.cookie));
  }

  @Get('callback')
  @ApiRoute({
    id: 'provider.callback',
    ...ROUTE,
    leads: 302,
    summary: 'Where an identity provider leads back to',
    description:
      'Its address is registered there. It leads on to the application; an answer that this browser has not asked for is a page (400).',
    refuses: [400, 404, 503],
  })
  async callback(
    @Scope() scope: RequestScope,
    @Param('provider_id') id: string,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
  ): Promise<void> {
    const params = new URL(request.url, LOCAL).searchParams;
    const back = await this.flow.callback(scope, id, params, request.headers.cookie);
    if (back?.failure !== undefined)
      this.logger.error({ err: back.failure, ...loggedIds(request), method: request.method }, 'unexpected error');
    if (back) return redirect(response, 302, back);
    const page = stoppedPage(request, [NOT_ASKED_FOR]);
    const content = { 'Content-Type': HTML, 'Content-Length': Buffer.byteLength(page) };
    response.writeHead(400, { ...content, ...PAGE_POLICY, ...HEADERS });
    response.end(request.method === 'HEAD' ? undefined : page);
  }

  /** Of a provider that has a page post its answer (`form_post`): cookies come along with the address it is led to alone. */
  @Post('callback')
  @ApiRoute({
    id: 'provider.posted_callback',
    ...ROUTE,
    leads: 303,
    summary: 'Where an identity provider posts its answer',
    description: 'It leads to the callback with the values of the form.',
    form: 'providerAnswer',
    refuses: [400, 404, 413, 503],
  })
  async posted(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    checkIsForm(request);
    const body = await bodyBytes(request, 'small');
    const given = new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
    const kept = ANSWER_NAMES.flatMap((name) => given.getAll(name).map((value): [string, string] => [name, value]));
    redirect(response, 303, { location: `callback?${new URLSearchParams(kept).toString()}` });
  }
}

/** @throws KindError 415 */
function checkIsForm({ headers }: HttpRequest): void {
  const type = headers['content-type'] ?? '';
  if (FORM_TYPE.test(type)) return;
  const got = type === '' ? 'none' : shortened(type);
  throw refusal(
    'body.not_json',
    `A provider posts a form: the content-type must be application/x-www-form-urlencoded, got ${got}`,
  );
}

function redirect(response: HttpResponse, status: 302 | 303, { location, cookie }: Redirect): void {
  response.writeHead(status, { ...HEADERS, Location: location, ...(cookie !== undefined && { 'Set-Cookie': cookie }) });
  response.end();
}

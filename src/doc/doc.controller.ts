import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { HttpRequest, HttpResponse } from '../http/request.js';
import { varyOf } from '../http/vary.js';
import { refusal } from '../shared/errors.js';
import { WithOptionalProject, WithoutProject } from '../tenancy/project.guard.js';
import { findScope } from '../tenancy/request-scope.js';
import { Documents } from './documents.js';
import { PageAssets } from './page-assets.js';
import { answerFile } from './stored-file.js';

/** Of this page's own files and calls, and of nothing else; Swagger UI puts pictures into its styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI document, and the page on which it can be tried. */
@Controller('api/lib/doc')
export class DocController {
  constructor(
    private readonly documents: Documents,
    private readonly assets: PageAssets,
  ) {}

  @Get('openapi.json')
  @WithOptionalProject()
  async openapi(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const scope = findScope(request);
    const file = await (scope ? this.documents.ofProject(scope) : this.documents.generic());
    answerFile(request, response, file, { Vary: varyOf(response) });
  }

  @Get('swaggerui')
  @WithoutProject()
  async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    if (request.path.endsWith('/')) {
      // Its parts are named relative to the address without the slash.
      response.writeHead(308, { Location: '../swaggerui' });
      response.end();
      return;
    }
    answerFile(request, response, await this.assets.page(), {
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
    });
  }

  @Get('swaggerui/:asset')
  @WithoutProject()
  async asset(@Param('asset') name: string, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const file = await this.assets.find(name);
    if (!file) throw refusal('route.unknown', 'The page has no such part');
    answerFile(request, response, file, { 'Content-Security-Policy': "default-src 'none'" });
  }
}

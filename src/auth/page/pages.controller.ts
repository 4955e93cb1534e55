import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { codingOf } from '../../http/answer/content-coding.js';
import { loggedPath } from '../../http/server/request-log.js';
import type { HttpRequest, HttpResponse } from '../../http/request/request.js';
import {
  answerAsset,
  answerFile,
  HTML,
  PAGE_POLICY,
  SCRIPT,
  STYLE,
  StoredFiles,
} from '../../http/answer/static-file.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { methodNotAllowed } from '../../shared/errors.js';
import { ForHeldMembers, WithOptionalProject, WithoutProject } from '../../tenancy/route-options.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';

const FOLDER = import.meta.dirname;
const NO_STORE = { 'Cache-Control': 'no-store' };

/**
 * The pages behind the links of mails, which post what the reader types, and the style of all pages. They do not look at
 * the token, so that programs which prefetch links do not use it up; that of the page that verifies an address stands
 * after the #, which browsers send nowhere.
 */
@Controller('api/lib')
@UseInterceptors(TenancyInterceptor)
export class PagesController {
  readonly #pages = new StoredFiles({
    'reset.html': { folder: FOLDER, type: HTML },
    'verify.html': { folder: FOLDER, type: HTML },
  });
  readonly #assets = new StoredFiles({
    'page.js': { folder: FOLDER, type: SCRIPT },
    'reset.js': { folder: FOLDER, type: SCRIPT },
    'verify.js': { folder: FOLDER, type: SCRIPT },
    'page.css': { folder: FOLDER, type: STYLE },
  });

  @Get('project/:project_id/verify')
  @ApiRoute({
    id: 'auth.verify_page',
    tag: 'Authentication',
    needs: 'nothing',
    summary: 'A page for browsers that proves an e-mail address',
    media: 'text/html',
  })
  @WithoutProject()
  async verify(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    await this.#answer('verify.html', request, response);
  }

  @Get('auth/reset_password/:token')
  @ApiRoute({
    id: 'auth.reset_page',
    tag: 'Authentication',
    needs: 'nothing',
    summary: 'A page for browsers that sets a new password',
    media: 'text/html',
    refuses: [401, 405, 503],
  })
  @WithOptionalProject()
  @ForHeldMembers()
  async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    if (!request.headers.accept?.includes('text/html')) {
      const path = loggedPath(request.path).slice(0, 200);
      throw methodNotAllowed(`${path} takes POST, and ${request.method} of browsers, which accept text/html`, ['POST']);
    }
    await this.#answer('reset.html', request, response);
  }

  @Get('auth/page/:asset')
  @ApiRoute({
    id: 'auth.asset',
    tag: 'Authentication',
    needs: 'nothing',
    summary: 'A part of the pages that mails lead to',
    media: '*/*',
    refuses: [404],
  })
  @WithoutProject()
  async asset(@Param('asset') name: string, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    await answerAsset(this.#assets, name, request, response, NO_STORE);
  }

  async #answer(name: 'reset.html' | 'verify.html', request: HttpRequest, response: HttpResponse): Promise<void> {
    const file = await this.#pages.get(name, codingOf(request));
    answerFile(request, response, file, { ...PAGE_POLICY, ...NO_STORE });
  }
}

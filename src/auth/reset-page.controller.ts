import { join } from 'node:path';
import { ApiRoute } from '../http/route/api-route.js';
import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { codingOf } from '../http/answer/content-coding.js';
import { loggedPath } from '../http/server/request-log.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { answerAsset, answerFile, PAGE_POLICY, SCRIPT, STYLE, StoredFiles } from '../http/answer/static-file.js';
import { methodNotAllowed } from '../shared/errors.js';
import { WithOptionalProject, WithoutProject } from '../tenancy/route-options.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';

const FOLDER = join(import.meta.dirname, 'page');
const NO_STORE = { 'Cache-Control': 'no-store' };

/**
 * The page behind the link of a recovery mail, which posts the new password to its own address. It does not check the
 * token, so that programs which prefetch links do not use it up.
 */
@Controller('api/lib/auth')
@UseInterceptors(TenancyInterceptor)
export class ResetPageController {
  readonly #page = new StoredFiles({ 'reset.html': { folder: FOLDER, type: 'text/html; charset=utf-8' } });
  readonly #assets = new StoredFiles({
    'reset.js': { folder: FOLDER, type: SCRIPT },
    'reset.css': { folder: FOLDER, type: STYLE },
  });

  @Get('reset_password/:token')
  @ApiRoute({
    id: 'auth.reset_page',
    tag: 'Authentication',
    needs: 'nothing',
    summary: 'A page for browsers that does so',
    media: 'text/html',
    refuses: [401, 405, 503],
  })
  @WithOptionalProject()
  async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    if (!request.headers.accept?.includes('text/html')) {
      const path = loggedPath(request.path).slice(0, 200);
      throw methodNotAllowed(`${path} takes POST, and ${request.method} of browsers, which accept text/html`, ['POST']);
    }
    const file = await this.#page.get('reset.html', codingOf(request));
    answerFile(request, response, file, { ...PAGE_POLICY, ...NO_STORE });
  }

  @Get('page/:asset')
  @ApiRoute({
    id: 'auth.asset',
    tag: 'Authentication',
    needs: 'nothing',
    summary: 'A part of that page',
    media: '*/*',
    refuses: [404],
  })
  @WithoutProject()
  async asset(@Param('asset') name: string, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    await answerAsset(this.#assets, name, request, response, NO_STORE);
  }
}

import { randomBytes } from 'node:crypto';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { answerAsset, PAGE_POLICY, pagePolicy } from '../http/answer/static-file.js';
import { unknownRoute } from '../http/server/path-methods.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { buildingPage, ConsoleFiles, missingPage } from './console-files.js';

/** File names contain a hash of the content. */
const ASSET_CACHING = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** What the build writes in place of the nonce of an answer. */
const NONCE_PLACE = '__NONCE__';

/** Serves the page `/console/`. Its data come from the REST API, as for any other client. */
@Controller()
@ApiExcludeController()
export class ConsoleController {
  constructor(private readonly files: ConsoleFiles) {}

  /** The addresses on the page are relative to the one with a slash. */
  @Get('console')
  withoutSlash(@Req() { url }: HttpRequest, @Res() response: HttpResponse): void {
    response.writeHead(308, { Location: `console/${/\?.*/.exec(url)?.[0] ?? ''}` });
    response.end();
  }

  @Get('console/assets/:name')
  async asset(@Param('name') name: string, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    await answerAsset(await this.files.assets(), name, request, response, ASSET_CACHING);
  }

  /** Express takes a path with a slash at its end for another one, which Nest has no way to write but this. */
  @Get('console/{*rest}')
  async page(@Param('rest') rest: unknown, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    if (rest !== undefined) throw unknownRoute(request);
    const page = await this.files.page();
    if (page === 'building') return sendPage(response, 503, buildingPage(), { 'Retry-After': '1', Refresh: '1' });
    if (page === 'missing') return sendPage(response, 404, missingPage());
    const nonce = randomBytes(16).toString('base64');
    sendPage(response, 200, page.html.replaceAll(NONCE_PLACE, nonce), pagePolicy(nonce));
  }
}

function sendPage(
  response: HttpResponse,
  status: number,
  html: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...PAGE_POLICY,
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : html);
}

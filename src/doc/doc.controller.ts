/** Serves the OpenAPI document, and the page on which its calls can be tried. */
import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { codingOf, varyOf } from '../http/answer/content-coding.js';
import { readQuery } from '../http/route/parse-list-query.js';
import { unbracket } from '../http/route/query-reader.js';
import { CLIENT_QUERY, KINDS_QUERY } from '../http/route/query-names.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { answerAsset, answerFile, PAGE_POLICY, SCRIPT, STYLE, StoredFiles } from '../http/answer/static-file.js';
import { WithOptionalProject, WithoutProject } from '../tenancy/route-options.js';
import { findScope, scopeOf } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Documents } from './documents.js';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RequestHandler } from 'express';

@Controller('api/lib/doc')
@UseInterceptors(TenancyInterceptor)
export class DocController {
  constructor(private readonly documents: Documents) {}

  @Get('openapi.json')
  @ApiRoute({
    id: 'doc.openapi',
    tag: 'Documentation',
    needs: 'nothing',
    summary: 'This document',
    description: 'With the header `kind-project-key`, that of the project as the caller may use it.',
    query: KINDS_QUERY,
    media: 'application/json',
    conditional: 'read',
    refuses: [401, 413, 503],
  })
  @WithOptionalProject()
  async openapi(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const scope = findScope(request);
    const options = { chosen: chosenKinds(request.url), coding: codingOf(request) };
    const file = await (scope ? this.documents.ofProject(scope, options) : this.documents.generic(options));
    answerFile(request, response, file, { Vary: varyOf(response) });
  }

  @Get('client.ts')
  @ApiRoute({
    id: 'doc.client',
    tag: 'Documentation',
    needs: 'access',
    summary: 'The types of a client of the project',
    description:
      'TypeScript, as the command `kind client` writes it: the kinds as the caller may use them; for who may know the whole project, as `as` may.',
    query: CLIENT_QUERY,
    media: 'text/plain',
    conditional: 'read',
    refuses: [503],
  })
  async client(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    const as = readQuery(request.url, CLIENT_QUERY).get('as')?.[0];
    const file = await this.documents.clientTypes(scopeOf(request), as, codingOf(request));
    answerFile(request, response, file, { Vary: varyOf(response) });
  }

  @Get('swaggerui')
  @ApiRoute({
    id: 'doc.page',
    tag: 'Documentation',
    needs: 'nothing',
    summary: 'A page on which every call can be tried',
    media: 'text/html',
  })
  @WithoutProject()
  async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    answerFile(request, response, await pageFiles.get('page.html', codingOf(request)), PAGE_POLICY);
  }

  @Get('swaggerui/:asset')
  @ApiRoute({
    id: 'doc.asset',
    tag: 'Documentation',
    needs: 'nothing',
    summary: 'A part of the page on which every call can be tried',
    media: '*/*',
    refuses: [404],
  })
  @WithoutProject()
  async asset(@Param('asset') name: string, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    await answerAsset(assetFiles, name, request, response);
  }
}

/**
 * The kinds of `?kinds=a,b`, an empty set for an empty value, undefined without the parameter. @throws KindError 400
 */
function chosenKinds(url: string): ReadonlySet<string> | undefined {
  const texts = readQuery(url, KINDS_QUERY).get('kinds');
  return texts && new Set(texts.flatMap(unbracket).filter((id) => id !== ''));
}

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE_FOLDER = join(import.meta.dirname, 'page');

const pageFiles = new StoredFiles({ 'page.html': { folder: PAGE_FOLDER, type: 'text/html; charset=utf-8' } });

export const assetFiles = new StoredFiles({
  'page.js': { folder: PAGE_FOLDER, type: SCRIPT },
  'page.css': { folder: PAGE_FOLDER, type: STYLE },
  'swagger-ui-bundle.js': { folder: SWAGGER_UI, type: SCRIPT },
  'swagger-ui.css': { folder: SWAGGER_UI, type: STYLE },
});

const PAGE_PATH = '/api/lib/doc/swaggerui';

/** Redirects to the address without the slash, to which the links on the page are relative. */
export const redirectTrailingSlash: RequestHandler = (request, response, next) => {
  if (request.url !== `${PAGE_PATH}/` || request.method !== 'GET') return next();
  response.writeHead(308, { Location: '../swaggerui' });
  response.end();
};

import { Controller, Get, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import { EXPORT_QUERY, IMPORT_QUERY } from '../http/route/query-names.js';
import { DRY_RUN_HEADER, KEY_HEADER } from '../http/header-names.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { LIMITS } from '../shared/limits.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import type { Answer } from '../http/answer/answer.js';
import { requestFile } from './file/imported-text.js';
import { ImportService } from './import.service.js';
import { ExportOutput } from './export-output.js';
import { ExportService } from './export.service.js';

/** Files of units: exports and imports. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class TransferController {
  constructor(
    private readonly exports: ExportService,
    private readonly imports: ImportService,
  ) {}

  @Get('export')
  @ApiRoute({
    id: 'export',
    tag: 'Units',
    of: 'bulk',
    joint: true,
    alone: true,
    needs: 'access',
    rights: ['read'],
    summary: 'Export units of %',
    description:
      'All that match, of one snapshot, as a file: one line per unit. An error after the first line breaks the connection.',
    query: EXPORT_QUERY,
    media: ['text/csv', 'application/x-ndjson'],
  })
  async export(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
  ): Promise<void> {
    await this.exports.export(
      scope,
      kind,
      urlQueryParameters(request.url),
      (format) => new ExportOutput(request, response, kind, format),
    );
  }

  @Post('import')
  @ApiRoute({
    id: 'import',
    tag: 'Units',
    of: 'imported',
    joint: true,
    alone: true,
    needs: 'bearer',
    rights: ['create'],
    summary: 'Import units of %',
    description:
      'Creates a unit per record of a file of any size, which may be compressed with gzip, in one transaction. With `errors=stop` the first faults are a 400 and nothing is stored.',
    query: IMPORT_QUERY,
    keepsAnswers: true,
    form: 'file',
    content: 'imported',
    refuses: [409],
  })
  import(@Scope() scope: RequestScope, @Param('kind_id') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    const key = request.headers[KEY_HEADER] as string | undefined;
    const options = { line: `POST ${request.url}`, dryRun: undefined, key };
    return this.imports.import(scope, kind, {
      ...(key !== undefined && { keyed: { request, options } }),
      parameters: urlQueryParameters(request.url),
      contentType: request.headers['content-type'],
      file: () => requestFile(request),
      ahead: LIMITS.importedAhead,
      isGone: () => request.res?.destroyed === true,
      onDryRun: () => request.res?.setHeader(DRY_RUN_HEADER, 'true'),
    });
  }
}

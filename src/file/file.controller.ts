import { Controller, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import {
  CONTENT_QUERY,
  CREATE_ENDPOINT_QUERY,
  DRY_RUN_QUERY,
  UPLOAD_QUERY,
  WRITTEN_QUERY,
} from '../http/route/query-names.js';
import type { HttpRequest } from '../http/request/request.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { ContentCommands } from './content.commands.js';
import { FileCommands } from './file.commands.js';
import { UrlBody } from './url/url.body.js';

const ROUTE = { tag: 'Files', of: 'contents', needs: 'access' } as const;

/** Files are units of `file`; what their contents need beside that has its routes here. */
@Controller('api/lib/file/unit')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class FileController {
  constructor(
    private readonly files: FileCommands,
    private readonly contents: ContentCommands,
  ) {}

  @Post()
  @ApiRoute({
    ...ROUTE,
    id: 'create',
    rights: ['create'],
    summary: 'Upload a file',
    description:
      'The body is the content, of any type, with its `name` in the query; or a form with the content; or JSON with the content in base64, of 1 MiB at most.',
    query: [...UPLOAD_QUERY, ...CREATE_ENDPOINT_QUERY],
    form: 'upload',
    content: 'created',
    refuses: [409],
  })
  create(@Req() request: HttpRequest): Command {
    return this.files.create(request);
  }

  @Put(':unit_id/content')
  @ApiRoute({
    ...ROUTE,
    id: 'replace',
    rights: ['update'],
    summary: 'Replace the content of a file',
    query: [...WRITTEN_QUERY, ...DRY_RUN_QUERY],
    form: 'content',
    content: 'unit',
    conditional: 'write',
    refuses: [404, 409, 412],
  })
  replace(@Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.files.replace(unit, request);
  }

  @Get(':unit_id/content')
  @ApiRoute({
    ...ROUTE,
    id: 'content',
    rights: ['read'],
    summary: 'Download the content of a file',
    query: CONTENT_QUERY,
    media: '*/*',
    alone: true,
    conditional: 'read',
    ranged: true,
    refuses: [404, 416],
  })
  content(@Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.contents.content(unit, request);
  }

  @Post(':unit_id/url')
  @ApiRoute({
    ...ROUTE,
    id: 'url',
    needs: 'bearer',
    rights: ['read'],
    summary: 'Make an address for the content of a file',
    description: 'It opens the content without headers until it ends. `size`, `format` and `download` may be appended.',
    body: UrlBody,
    content: 'fileUrl',
    alone: true,
    refuses: [404],
  })
  url(@Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.contents.url(unit, request);
  }
}

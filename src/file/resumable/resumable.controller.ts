import { Controller, Delete, Head, Param, Patch, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import type { Command } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { ResumableCommands } from './resumable.commands.js';
import { TusInterceptor } from './tus.interceptor.js';

const ROUTE = { tag: 'Files', of: 'contents', needs: 'bearer', rights: ['create'], alone: true } as const;

/** Uploads that go on where they were broken off: tus 1.0.0. */
@Controller('api/lib/file/upload')
@UseInterceptors(TusInterceptor, TenancyInterceptor, RunInterceptor)
export class ResumableController {
  constructor(private readonly uploads: ResumableCommands) {}

  @Post()
  @ApiRoute({
    ...ROUTE,
    id: 'upload.create',
    summary: 'Begin a resumable upload',
    description:
      'As tus 1.0.0 has it: `Upload-Length`, and `Upload-Metadata` with `filename`, `filetype` and `values` (the values of the unit, as JSON). A body is the first part.',
    form: 'part',
    tus: 201,
    refuses: [409, 412, 423],
  })
  create(@Req() request: HttpRequest): Command {
    return this.uploads.create(request);
  }

  @Head(':upload_id')
  @ApiRoute({
    ...ROUTE,
    id: 'upload.offset',
    summary: 'Ask how far a resumable upload is',
    tus: 200,
    refuses: [404, 412, 423],
  })
  tell(@Param('upload_id') upload: string, @Req() request: HttpRequest): Command {
    return this.uploads.tell(upload, request);
  }

  @Patch(':upload_id')
  @ApiRoute({
    ...ROUTE,
    id: 'upload.append',
    summary: 'Send a part of a resumable upload',
    description: 'At `Upload-Offset`. The last part is answered with the id of the file in `kind-file`.',
    form: 'part',
    tus: 204,
    refuses: [404, 409, 412, 413, 415, 423],
  })
  append(@Param('upload_id') upload: string, @Req() request: HttpRequest): Command {
    return this.uploads.append(upload, request);
  }

  @Delete(':upload_id')
  @ApiRoute({
    ...ROUTE,
    id: 'upload.end',
    summary: 'End a resumable upload',
    description: 'Its parts are removed. A file that was made of it stays.',
    tus: 204,
    refuses: [404, 412],
  })
  remove(@Param('upload_id') upload: string, @Req() request: HttpRequest): Command {
    return this.uploads.remove(upload, request);
  }

  @Post(':upload_id')
  @ApiExcludeEndpoint()
  @ApiRoute({ ...ROUTE, id: 'upload.override', summary: 'Do what X-HTTP-Method-Override says' })
  override(@Param('upload_id') upload: string, @Req() request: HttpRequest): Command {
    return this.uploads.override(upload, request);
  }
}

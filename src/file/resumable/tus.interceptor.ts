/** What all answers of resumable uploads have, as tus 1.0.0 wants it. */
import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { TUS } from '../../http/header-names.js';
import { type HttpResponse, requestOf } from '../../http/request/request.js';
import { PreparingInterceptor } from '../../http/server/preparing.interceptor.js';
import { refusal } from '../../shared/errors.js';

const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,expiration,termination';
const PATH = /^\/api\/lib\/file\/upload(?:\/[^/]+)?$/;

/** Before that of projects and callers, so that refusals of these have it too. */
@Injectable()
export class TusInterceptor extends PreparingInterceptor {
  /** @throws KindError 412 for other versions of the protocol */
  prepare(context: ExecutionContext): void {
    const response = context.getArgByIndex<HttpResponse>(1);
    response.setHeader('Tus-Resumable', VERSION);
    response.setHeader('Cache-Control', 'no-store');
    if (requestOf(context).headers[TUS.version] === VERSION) return;
    response.setHeader('Tus-Version', VERSION);
    throw refusal('file.tus_version', `Tus-Resumable must be ${VERSION}`, { parameter: TUS.version });
  }
}

/** Says what of the protocol there is, to whoever asks with `OPTIONS`. */
export function tusOptions({ fileLimit }: Pick<Config, 'fileLimit'>): RequestHandler {
  return ({ method, path }, response, next) => {
    if (method === 'OPTIONS' && PATH.test(path)) {
      response.setHeader('Tus-Resumable', VERSION);
      response.setHeader('Tus-Version', VERSION);
      response.setHeader('Tus-Extension', EXTENSIONS);
      response.setHeader('Tus-Max-Size', fileLimit);
    }
    next();
  };
}

/** Bodies of requests, which handlers read after they have checked the caller's rights. */
import { Inject, Injectable, createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { parseBody, readBody, type ReceivedBody } from '../http/body/read-body.js';
import { clientAddress } from '../http/request/client-address.js';
import { RequestSlot, type HttpRequest, requestOf } from '../http/request/request.js';
import { LIMITS } from '../shared/limits.js';
import { CALLER_LASTS } from './caller.js';
import { scopeOf } from './request-scope.js';
import { readDto, type DtoClass } from '../http/body/dto.js';
import { refuseQuery } from '../http/route/parse-list-query.js';

type BodyBytes = Promise<ReceivedBody>;

/**
 * The setting that limits the size of a body. Bodies of units may be large, as units may be large and many at once;
 * `small` is for bodies that never need to be, also those of anonymous callers; `asSent` for the bytes of inbound calls,
 * which are not decompressed; `modelFile` for model files.
 */
export type BodyLimit = 'bodyLimit' | 'bodyLimitUnits' | 'small' | 'asSent' | 'modelFile';

/** Whether a request has an idempotency key that was answered already. */
export type IsRepeat = () => Promise<boolean>;

/** How large a body may be, or who receives it, and then does so once. */
export type BodySource = BodyLimit | ((isRepeat: IsRepeat) => Promise<ReceivedBody>);

const bodyReaders = new RequestSlot<(limit: BodyLimit) => BodyBytes>();

@Injectable()
export class RequestBodies {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /**
   * Prepares reading the body of a request, on account of its tenant.
   * @param checkStays looks its caller up again @throws KindError 401
   */
  prepare(request: HttpRequest, checkStays: () => Promise<void>): void {
    let bytes: BodyBytes | undefined;
    bodyReaders.set(request, (limit) => (bytes ??= this.#read(request, limit, checkStays)));
  }

  async #read(request: HttpRequest, limit: BodyLimit, checkStays: () => Promise<void>): BodyBytes {
    const { res: response } = request;
    if (!response) throw new Error('a request has its response');
    const { project, caller } = scopeOf(request);
    const address = caller.type === 'anonymous' ? clientAddress(request) : undefined;
    const bounds = { project: project.id, address, limit: this.#bytesOf(limit), asSent: limit === 'asSent' };
    const began = performance.now();
    const body = await readBody(request, response, bounds);
    if (performance.now() - began > CALLER_LASTS) await checkStays();
    return body;
  }

  #bytesOf(limit: BodyLimit): number {
    switch (limit) {
      case 'small':
        return Math.min(LIMITS.smallBody, this.config.bodyLimit);
      case 'asSent':
        return Math.min(LIMITS.endpointBody, this.config.bodyLimit);
      case 'modelFile':
        return LIMITS.modelFileJson;
      default:
        return this.config[limit];
    }
  }
}

/** Reads the bytes of a request's body, only once; undefined if it has none. @throws KindError 400, 413, 415, 503 */
export function bodyBytes(
  request: object,
  source: BodySource = 'bodyLimit',
  isRepeat: IsRepeat = () => Promise.resolve(false),
): Promise<ReceivedBody> {
  if (typeof source === 'function') return source(isRepeat);
  const read = bodyReaders.get(request);
  if (!read) throw new Error('the body cannot be read: its controller lacks the tenancy interceptor');
  return read(source);
}

/** The body of a request as JSON; undefined if it has none. @throws KindError 400, 413, 415, 503 */
async function bodyJson(request: HttpRequest, limit?: BodyLimit): Promise<unknown> {
  const { project } = scopeOf(request);
  return parseBody(await bodyBytes(request, limit), request.headers['content-type'], project.schema);
}

/**
 * Reads and validates the body when called, after the caller's rights were checked. @throws KindError 400, 413, 415,
 * 503
 */
export type BodyInput<T = unknown> = () => Promise<T>;

class DtoPipe<T extends object> implements PipeTransform<BodyInput, BodyInput<T>> {
  constructor(private readonly dto: DtoClass<T>) {}

  transform(read: BodyInput): BodyInput<T> {
    return async () => readDto(this.dto, await read());
  }
}

const JsonInput = createParamDecorator((limit: BodyLimit, context: ExecutionContext): BodyInput => {
  const request = requestOf(context);
  return () => {
    refuseQuery(request.url);
    return bodyJson(request, limit);
  };
});

/** Injects a function that reads the body as an instance of a DTO class. */
export function Input<T extends object>(dto: DtoClass<T>): ParameterDecorator {
  return JsonInput('small', new DtoPipe(dto));
}

/**
 * Injects a function that reads the body as JSON: for bodies whose shape the project defines, and for bodies that are
 * ignored.
 */
export function AnyInput(limit: BodyLimit = 'small'): ParameterDecorator {
  return JsonInput(limit);
}

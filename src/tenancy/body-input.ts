/** Decorators that inject a request's body into handlers. Requests with a body take no query. */
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { readDto, type DtoClass } from '../http/body/dto.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { requestOf } from '../http/request/request.js';
import { bodyJson, type BodyLimit } from './request-bodies.js';

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

/** A Nest module as a team could write it, with every feature of Nest that affects how a handler is called. */
import {
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Injectable,
  Module,
  Next,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  Req,
  Res,
  Scope,
  Sse,
  StreamableFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
  createParamDecorator,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { NextFunction } from 'express';
import { map, of, throwError, type Observable } from 'rxjs';
import { Answer } from '../../src/http/answer/answer.js';
import { PreparingInterceptor } from '../../src/http/server/preparing.interceptor.js';
import type { HttpRequest, HttpResponse } from '../../src/http/request/request.js';

type LoggedRequest = HttpRequest & { steps?: string[] };

/** Notes a step of a request; handlers answer the steps so far. */
function note(context: ExecutionContext, step: string): void {
  const request = context.switchToHttp().getRequest<LoggedRequest>();
  (request.steps ??= []).push(step);
}

const Steps = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { steps = [] } = context.switchToHttp().getRequest<LoggedRequest>();
  return steps;
});

const Failing = createParamDecorator((): never => {
  throw new ForbiddenException('a parameter');
});

const LateFailing = createParamDecorator((): unknown => Promise.reject(new ForbiddenException('a late parameter')));

@Injectable()
class First extends PreparingInterceptor {
  prepare(context: ExecutionContext): void {
    note(context, `first of ${context.getClass().name}.${context.getHandler().name}`);
  }
}

@Injectable()
class Late extends PreparingInterceptor {
  async prepare(context: ExecutionContext): Promise<void> {
    await new Promise(setImmediate);
    note(context, 'late');
  }
}

@Injectable()
class Throwing extends PreparingInterceptor {
  prepare(): void {
    throw new ForbiddenException('prepared');
  }
}

@Injectable()
class Rejecting extends PreparingInterceptor {
  prepare(): Promise<void> {
    return Promise.reject(new ForbiddenException('prepared late'));
  }
}

@Injectable()
class Mapping implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    note(context, 'mapping');
    return next.handle().pipe(map((mapped: unknown) => ({ mapped })));
  }
}

@Injectable()
class Denying implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<HttpRequest>().headers['x-allowed'] !== undefined;
  }
}

class OwnError extends Error {}

@Catch(OwnError)
class OwnFilter implements ExceptionFilter {
  catch(error: OwnError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<HttpResponse>().status(418).json({ own: error.message });
  }
}

@Catch(OwnError)
class BrokenFilter implements ExceptionFilter {
  catch(): void {
    throw new Error('the filter fails');
  }
}

@Controller('plain')
class PlainController {
  @Get('text') text(): string {
    return 'text';
  }
  @Get('nothing') nothing(): void {}
  @Get('answer') answer(): Answer {
    return new Answer('1', '"tag"');
  }
  @Post('answer') posted(): Promise<Answer> {
    return Promise.resolve(new Answer('2'));
  }
  @Post('created') created(): object {
    return { created: true };
  }
  @Post('coded') @HttpCode(202) coded(): object {
    return {};
  }
  @Get('header') @Header('x-own', 'yes') header(): Answer {
    return new Answer('3');
  }
  @Get('redirect') @Redirect('/plain/text', 307) redirect(): Answer {
    return new Answer('4');
  }
  @Get('throws') throws(): never {
    throw new ForbiddenException('at once');
  }
  @Get('rejects') rejects(): Promise<never> {
    return Promise.reject(new ForbiddenException('later'));
  }
  @Get('observable') observable(): Observable<string> {
    return of('first', 'last');
  }
  @Get('late-observable') lateObservable(): Promise<Observable<string>> {
    return Promise.resolve(of('last'));
  }
  @Get('failing-observable') failingObservable(): Observable<never> {
    return throwError(() => new ForbiddenException('observed'));
  }
  @Get('thenable') thenable(): PromiseLike<string> {
    return { then: (resolve: (text: string) => unknown) => resolve('thenable') } as unknown as PromiseLike<string>;
  }
  @Get('stream') stream(): StreamableFile {
    return new StreamableFile(Buffer.from('streamed'));
  }
  @Get('response') response(@Res() response: HttpResponse): Answer {
    response.status(203).send('sent by the handler');
    return new Answer('5');
  }
  @Get('passthrough') passthrough(@Res({ passthrough: true }) response: HttpResponse): string {
    response.status(203);
    return 'passed';
  }
  @Get('next') next(@Next() next: NextFunction): void {
    next();
  }
  @Get('number/:number') number(@Param('number', ParseIntPipe) number: number): object {
    return { number };
  }
  @Get('failing-parameter') failingParameter(@Failing() parameter: unknown): unknown {
    return parameter;
  }
  @Get('late-parameter') async lateParameter(@LateFailing() parameter: unknown): Promise<unknown> {
    return await parameter;
  }
  @Get('arguments/:a/:b') arguments(@Param('b') b: string, @Req() request: HttpRequest, @Param('a') a: string): object {
    return { a, b, url: request.url, route: (request.route as { path: string }).path };
  }
  @Sse('events') events(): Observable<{ data: string }> {
    return of({ data: 'event' });
  }
}

@Controller('prepared')
@UseInterceptors(First)
class PreparedController {
  @Get('steps') steps(@Steps() steps: string[]): object {
    return { steps };
  }
  @Get('late') @UseInterceptors(Late, First) late(@Steps() steps: string[]): object {
    return { steps };
  }
  @Get('answer') @UseInterceptors(Late) answer(@Steps() steps: string[]): Promise<Answer> {
    return Promise.resolve(new Answer(JSON.stringify(steps)));
  }
  @Get('throwing') @UseInterceptors(Throwing) throwing(): never {
    throw new Error('the handler must not be called');
  }
  @Get('rejecting') @UseInterceptors(Rejecting) rejecting(): never {
    throw new Error('the handler must not be called');
  }
  @Get('mapped') @UseInterceptors(Mapping, Late) mapped(@Steps() steps: string[]): string[] {
    return steps;
  }
  @Get('observable') observable(): Observable<string> {
    return of('first', 'last');
  }
  @Get('guarded') @UseGuards(Denying) guarded(@Steps() steps: string[]): string[] {
    return steps;
  }
  @Get('filtered') @UseFilters(OwnFilter) filtered(): never {
    throw new OwnError('filtered');
  }
  @Get('broken-filter') @UseFilters(BrokenFilter) brokenFilter(): never {
    throw new OwnError('filtered');
  }
}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
@UseInterceptors(First)
class ScopedController {
  #calls = 0;
  @Get() get(): object {
    return { calls: (this.#calls += 1) };
  }
}

@Module({ controllers: [PlainController, PreparedController, ScopedController] })
export class RouteSamples {}

/** A request for each route. */
export const ROUTE_SAMPLES: readonly (readonly [method: string, path: string, headers?: Record<string, string>])[] = [
  ...['text', 'nothing', 'answer', 'header', 'redirect', 'throws', 'rejects', 'observable', 'late-observable'].map(
    (path) => ['GET', `/plain/${path}`] as const,
  ),
  ...['failing-observable', 'thenable', 'stream', 'response', 'passthrough', 'next', 'number/7', 'number/x'].map(
    (path) => ['GET', `/plain/${path}`] as const,
  ),
  ...['failing-parameter', 'late-parameter', 'arguments/1/2?c=3', 'events', 'unknown'].map(
    (path) => ['GET', `/plain/${path}`] as const,
  ),
  ...['answer', 'created', 'coded', 'text'].map((path) => ['POST', `/plain/${path}`] as const),
  ...['text', 'answer', 'stream'].map((path) => ['HEAD', `/plain/${path}`] as const),
  ['GET', '/plain/answer', { 'if-none-match': '"tag"' }],
  ...['steps', 'late', 'answer', 'throwing', 'rejecting', 'mapped', 'observable', 'filtered', 'broken-filter'].map(
    (path) => ['GET', `/prepared/${path}`] as const,
  ),
  ['GET', '/prepared/guarded'],
  ['GET', '/prepared/guarded', { 'x-allowed': '1' }],
  ['GET', '/scoped'],
];

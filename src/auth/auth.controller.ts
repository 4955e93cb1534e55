import { Controller, Header, Post, Req } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import { parseBody } from '../http/body.js';
import type { HttpRequest } from '../http/request.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { bodyOf } from '../tenancy/tenancy.interceptor.js';
import { AuthService } from './auth.service.js';

/** Authentication (section 4.2). */
@Controller('api/lib/auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('signin')
  @Header('Cache-Control', 'no-store')
  signIn(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.auth.signIn(project, parseBody(bodyOf(request), request.headers['content-type']));
  }
}

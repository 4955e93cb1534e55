import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { MailModule } from '../mail/mail.module.js';
import { CallerResolver } from '../tenancy/caller.js';
import { UnitModule } from '../unit/unit.module.js';
import { Administrators } from './administrators.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { Codes } from './codes.js';
import { MemberBehavior } from './member.behavior.js';
import { MemberSessions } from './member-session.js';
import { Passwords } from './passwords.js';
import { RecoveryService } from './recovery.service.js';
import { RefreshTokenStrategy } from './refresh-token.strategy.js';
import { Sessions } from './sessions.js';
import { ResetPageController } from './reset-page.controller.js';
import { SignInService } from './sign-in.service.js';
import { Throttle } from './throttle.js';
import { TokenService } from './token.service.js';

/** Global, because every module's tenancy interceptor asks it who calls. */
@Global()
@Module({
  imports: [MailModule, UnitModule, JwtModule.register({}), PassportModule],
  providers: [
    Administrators,
    AuthService,
    Codes,
    MemberBehavior,
    MemberSessions,
    Passwords,
    RecoveryService,
    RefreshTokenStrategy,
    Sessions,
    SignInService,
    Throttle,
    TokenService,
    { provide: CallerResolver, useExisting: TokenService },
  ],
  exports: [Administrators, CallerResolver, Passwords],
  controllers: [AuthController, ResetPageController],
})
export class AuthModule {}

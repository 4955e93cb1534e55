import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { CallerResolver } from '../tenancy/caller.js';
import { UnitModule } from '../unit/unit.module.js';
import { Administrators } from './administrators.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { MemberBehavior } from './member.behavior.js';
import { MemberSessions } from './member-session.js';
import { RefreshTokenStrategy } from './refresh-token.strategy.js';
import { Sessions } from './sessions.js';
import { TokenService } from './token.service.js';

@Module({
  imports: [UnitModule, JwtModule.register({}), PassportModule],
  providers: [
    Administrators,
    AuthService,
    MemberBehavior,
    MemberSessions,
    RefreshTokenStrategy,
    Sessions,
    TokenService,
    { provide: CallerResolver, useExisting: TokenService },
  ],
  exports: [Administrators, CallerResolver],
  controllers: [AuthController],
})
export class AuthModule {}

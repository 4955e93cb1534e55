import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { CallerResolver } from '../tenancy/caller.js';
import { UnitModule } from '../unit/unit.module.js';
import { Administrators } from './administrators.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { MemberBehavior } from './member.behavior.js';
import { TokenService } from './token.service.js';

@Module({
  imports: [UnitModule, JwtModule.register({})],
  providers: [
    Administrators,
    AuthService,
    MemberBehavior,
    TokenService,
    { provide: CallerResolver, useExisting: TokenService },
  ],
  exports: [Administrators, CallerResolver],
  controllers: [AuthController],
})
export class AuthModule {}

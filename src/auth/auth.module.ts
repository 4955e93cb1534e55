import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { MailModule } from '../mail/mail.module.js';
import { OutgoingModule } from '../outgoing/outgoing.module.js';
import { CallerResolver } from '../tenancy/caller.js';
import { UnitModule } from '../unit/unit.module.js';
import { Administrators } from './administrators.js';
import { AuditBehavior } from './audit.behavior.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import { SignInService } from './sign-in.service.js';
import { ApiKeyBehavior, ApiKeys } from './keys/api-key.behavior.js';
import { KeyStore } from './keys/key-store.js';
import { RequestCallers } from './keys/request-callers.js';
import { MailedCodeController } from './mailed-code/mailed-code.controller.js';
import { MailedCodes } from './mailed-code/mailed-codes.js';
import { MemberBehavior } from './member.behavior.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { MemberSessions } from './session/member-session.js';
import { PasswordStore } from './password/password-store.js';
import { PasswordService } from './password/password.service.js';
import { RefreshCookies } from './session/refresh-cookie.js';
import { RefreshTokenStrategy } from './session/refresh-token.strategy.js';
import { SessionController } from './session/session.controller.js';
import { SessionService } from './session/own-sessions.service.js';
import { SessionStore } from './session/session-store.js';
import { MailPagesController } from './mail-pages.controller.js';
import { FreshProof } from './session/fresh-proof.js';
import { NewMembers } from './new-members.js';
import { NewSessions } from './new-sessions.js';
import { Notices } from './notices.js';
import { ProvedAddresses } from './proved-addresses.js';
import { EmailController } from './email/email.controller.js';
import { EmailService } from './email/email.service.js';
import { VerificationMails } from './email/verification-mails.js';
import { MemberSecondStepController } from './second-step/member-second-step.controller.js';
import { ConfirmService } from './second-step/confirm.service.js';
import { SecondStepController } from './second-step/second-step.controller.js';
import { SecondStepService } from './second-step/second-step.service.js';
import { SecondSteps } from './second-step/second-steps.js';
import { OpenId } from './provider/openid/openid.js';
import { ProviderRequests } from './provider/openid/provider-requests.js';
import { PasskeyBehavior } from './passkey/passkey.behavior.js';
import { PasskeyController } from './passkey/passkey.controller.js';
import { PasskeyService } from './passkey/passkey.service.js';
import { Passkeys } from './passkey/passkeys.js';
import { IdentityBehavior } from './provider/identity.behavior.js';
import { IdentityProviderBehavior } from './provider/identity-provider.behavior.js';
import { Providers, ProviderSecrets } from './provider/providers.js';
import { DiscoveryController } from './provider/discovery.controller.js';
import { ExchangeController } from './provider/exchange.controller.js';
import { ExchangeService } from './provider/exchange.service.js';
import { Identities } from './provider/identities.js';
import { ProviderAccounts } from './provider/provider-accounts.js';
import { ProviderAddresses } from './provider/provider-addresses.js';
import { ProviderController } from './provider/provider.controller.js';
import { ProviderFlow } from './provider/provider-flow.js';
import { SettingsController } from './settings/settings.controller.js';
import { Throttle } from './throttle.js';
import { WaysChanges } from './ways-changes.js';
import { WaysController } from './ways.controller.js';
import { WaysService } from './ways.service.js';
import { Totp } from './second-step/totp.js';
import { TokenService } from './session/token.service.js';

/** Global, because the tenancy interceptor of every module resolves callers with it. */
@Global()
@Module({
  imports: [MailModule, OutgoingModule, UnitModule, JwtModule.register({}), PassportModule],
  providers: [
    Administrators,
    ApiKeyBehavior,
    ApiKeys,
    AuditBehavior,
    AuthService,
    ConfirmService,
    EmailService,
    IdentityBehavior,
    IdentityProviderBehavior,
    ExchangeService,
    Identities,
    NewMembers,
    NewSessions,
    Notices,
    OneTimeSecrets,
    OpenId,
    PasskeyBehavior,
    Passkeys,
    PasskeyService,
    Providers,
    ProviderSecrets,
    FreshProof,
    KeyStore,
    MailedCodes,
    MemberBehavior,
    MemberSessions,
    MembersService,
    PasswordStore,
    PasswordService,
    ProvedAddresses,
    ProviderAccounts,
    ProviderAddresses,
    ProviderFlow,
    ProviderRequests,
    RefreshCookies,
    RefreshTokenStrategy,
    RequestCallers,
    SecondSteps,
    SecondStepService,
    SessionService,
    SessionStore,
    SignInService,
    Throttle,
    TokenService,
    Totp,
    VerificationMails,
    WaysChanges,
    WaysService,
    { provide: CallerResolver, useExisting: RequestCallers },
  ],
  exports: [Administrators, ApiKeys, CallerResolver, PasswordStore, ProvedAddresses, SecondStepService],
  controllers: [
    AuthController,
    MailedCodeController,
    WaysController,
    SessionController,
    MembersController,
    SecondStepController,
    PasskeyController,
    MemberSecondStepController,
    EmailController,
    DiscoveryController,
    ExchangeController,
    ProviderController,
    MailPagesController,
    SettingsController,
  ],
})
export class AuthModule {}

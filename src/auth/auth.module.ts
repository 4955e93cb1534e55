import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { MailModule } from '../mail/mail.module.js';
import { OutgoingModule } from '../outgoing/outgoing.module.js';
import { CallerResolver } from '../tenancy/caller.js';
import { RecentProof } from '../tenancy/recent-proof.js';
import { UnitModule } from '../unit/unit.module.js';
import { Administrators } from './administrators.js';
import { AuditBehavior } from './audit.behavior.js';
import { EmailController } from './email/email.controller.js';
import { EmailService } from './email/email.service.js';
import { VerificationMails } from './email/verification-mails.js';
import { ApiKeyBehavior } from './keys/api-key.behavior.js';
import { ApiKeyService } from './keys/api-key.service.js';
import { KeyStore } from './keys/key-store.js';
import { MailedCodeController } from './mailed-code/mailed-code.controller.js';
import { MailedCodeService } from './mailed-code/mailed-code.service.js';
import { MemberBehavior } from './member.behavior.js';
import { NewMembers } from './new-members.js';
import { NewSessions } from './new-sessions.js';
import { Notices } from './notices.js';
import { OneTimeSecrets } from './one-time-secrets.js';
import { PagesController } from './page/pages.controller.js';
import { PasskeyBehavior } from './passkey/passkey.behavior.js';
import { PasskeyController } from './passkey/passkey.controller.js';
import { PasskeyService } from './passkey/passkey.service.js';
import { PasskeyStore } from './passkey/passkey-store.js';
import { PasswordController } from './password/password.controller.js';
import { PasswordStore } from './password/password-store.js';
import { PasswordService } from './password/password.service.js';
import { SignInController } from './password/sign-in.controller.js';
import { SignInService } from './password/sign-in.service.js';
import { ProvedAddresses } from './proved-addresses.js';
import { DiscoveryController } from './provider/discovery.controller.js';
import { ExchangeController } from './provider/exchange.controller.js';
import { ExchangeService } from './provider/exchange.service.js';
import { IdentityStore } from './provider/identity-store.js';
import { IdentityProviderBehavior } from './provider/identity-provider.behavior.js';
import { OpenId } from './provider/openid/openid.js';
import { ProviderRequests } from './provider/openid/provider-requests.js';
import { ProviderAccounts } from './provider/provider-accounts.js';
import { ProviderFlow } from './provider/provider-flow.js';
import { ProviderController } from './provider/provider.controller.js';
import { ProviderStore } from './provider/provider-store.js';
import { RequestCallers } from './request-callers.js';
import { ConfirmService } from './second-step/confirm.service.js';
import { MemberSecondStepController } from './second-step/member-second-step.controller.js';
import { SecondStepController } from './second-step/second-step.controller.js';
import { SecondStepService } from './second-step/second-step.service.js';
import { SecondStepCheck } from './second-step/second-step-check.js';
import { Totp } from './second-step/totp.js';
import { FreshProof } from './session/fresh-proof.js';
import { MemberSessionsController } from './session/member-sessions.controller.js';
import { MemberSessionsService } from './session/member-sessions.service.js';
import { OwnSessionsController } from './session/own-sessions.controller.js';
import { OwnSessionsService } from './session/own-sessions.service.js';
import { RefreshCookies } from './session/refresh-cookie.js';
import { RefreshTokenStrategy } from './session/refresh-token.strategy.js';
import { SessionOpener } from './session/session-opener.js';
import { SessionStore } from './session/session-store.js';
import { TokenService } from './session/token.service.js';
import { MailController } from './settings/mail.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SignUpController } from './sign-up/sign-up.controller.js';
import { SignUpService } from './sign-up/sign-up.service.js';
import { Throttle } from './throttle.js';
import { WayInWrites } from './way-in-writes.js';
import { WaysController } from './ways.controller.js';
import { WaysService } from './ways.service.js';

/** What all folders use. */
const COMMON = [
  ...[Administrators, AuditBehavior, MemberBehavior, NewMembers, NewSessions, Notices, OneTimeSecrets],
  ...[ProvedAddresses, RequestCallers, Throttle, WayInWrites, WaysService],
];
const EMAIL = [EmailService, VerificationMails];
const KEYS = [ApiKeyBehavior, ApiKeyService, KeyStore];
const MAILED_CODE = [MailedCodeService];
const PASSKEY = [PasskeyBehavior, PasskeyService, PasskeyStore];
const PASSWORD = [PasswordService, PasswordStore, SignInService];
const PROVIDER = [
  ...[ExchangeService, IdentityStore, IdentityProviderBehavior, OpenId, ProviderAccounts],
  ...[ProviderFlow, ProviderRequests, ProviderStore],
];
const SECOND_STEP = [ConfirmService, SecondStepCheck, SecondStepService, Totp];
const SESSION = [
  ...[FreshProof, MemberSessionsService, OwnSessionsService, RefreshCookies, RefreshTokenStrategy],
  ...[SessionOpener, SessionStore, TokenService],
];
const SIGN_UP = [SignUpService];

/** Global, because the tenancy interceptor of every module resolves callers with it. */
@Global()
@Module({
  imports: [MailModule, OutgoingModule, UnitModule, JwtModule.register({}), PassportModule],
  providers: [
    ...COMMON,
    ...EMAIL,
    ...KEYS,
    ...MAILED_CODE,
    ...PASSKEY,
    ...PASSWORD,
    ...PROVIDER,
    ...SECOND_STEP,
    ...SESSION,
    ...SIGN_UP,
    { provide: CallerResolver, useExisting: RequestCallers },
    { provide: RecentProof, useExisting: FreshProof },
  ],
  exports: [
    ...[Administrators, ApiKeyService, CallerResolver, PasswordStore],
    ...[ProvedAddresses, RecentProof, SecondStepService],
  ],
  // In the order of the API document.
  controllers: [
    SignUpController,
    ...[SignInController, PasswordController],
    ...[OwnSessionsController, MemberSessionsController],
    ...[SecondStepController, MemberSecondStepController],
    EmailController,
    MailedCodeController,
    PasskeyController,
    ...[ProviderController, ExchangeController, DiscoveryController],
    WaysController,
    PagesController,
    ...[MailController, SettingsController],
  ],
})
export class AuthModule {}

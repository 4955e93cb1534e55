/**
 * The one place where the session of a sign-in begins: every way to sign in ends here with a member and what it has
 * proved, so that none can leave out the second step. Only a sign-up opens its own.
 */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { SECOND_STEP_HEADER } from '../http/header-names.js';
import { afterPartialWrite } from '../shared/errors.js';
import type { WayInUnit } from '../sql/member/session.sql.js';
import type { Project } from '../tenancy/project.js';
import type { AuthRequest } from './auth-request.js';
import { type Credential, isUsableNow } from './credential.js';
import { SecondStepCheck, type WayIn } from './second-step/second-step-check.js';
import { signInFailed } from './refusals.js';
import { SessionOpener } from './session/session-opener.js';
import { RefreshCookies } from './session/refresh-cookie.js';

/** What a member has proved. */
interface Proofs {
  readonly way: WayIn;
  /** The code of the second step, if one was given. */
  readonly otp: string | null;
  /** The hash that its password was checked with, if it was. */
  readonly password?: string;
  /** Uses up the first proof, once no other is missing; false if another request has used it. Returns the identity of it. */
  readonly use?: () => Promise<boolean | WayInUnit>;
  /** The passkey that was used, if one was. */
  readonly unit?: WayInUnit;
}

@Injectable()
export class NewSessions {
  constructor(
    private readonly catalog: Catalog,
    private readonly cookies: RefreshCookies,
    private readonly database: Database,
    private readonly opener: SessionOpener,
    private readonly secondSteps: SecondStepCheck,
  ) {}

  /** A session; where a second step is missing, null, and in a header which one. @throws KindError 401, 429, 503 */
  async session(
    project: Project,
    client: AuthRequest,
    member: Credential,
    { way, otp, password, unit, use }: Proofs,
  ): Promise<Answer> {
    if (!(await isUsableNow(this.catalog, project, member))) throw signInFailed(way);
    const step = await this.secondSteps.take(project, client, member, { way, otp });
    if (step !== 'made' && step !== 'none')
      return new Answer(NULL_ANSWER.content, undefined, { [SECOND_STEP_HEADER]: step });
    const used = await use?.();
    if (used === false) throw signInFailed(way);
    const begin = () =>
      this.catalog.withCheckedModel({ project }, async (model) => {
        const { member_kind: kindId, member_id: memberId } = member;
        const session = await this.opener.open(this.database.ofProject(project), project, model, {
          kindId,
          memberId,
          password,
          unit: typeof used === 'object' ? used : unit,
          // No session begins without a code of an app that is set up.
          secondStep: way === 'passkey' || member.totp_confirmed,
          client,
        });
        if (!session) throw signInFailed(way);
        return this.cookies.sessionAnswer(project, client.inCookie, session);
      });
    // A code or a challenge is used, so the answer must say that state has changed even if the next step fails.
    return step === 'made' || way === 'passkey' || use ? afterPartialWrite(begin) : begin();
  }
}

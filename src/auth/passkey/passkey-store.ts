/**
 * Passkeys of members: what devices are asked, and whether their answers are right. A challenge is used once, whatever
 * comes of it.
 */
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Logger } from 'pino';
import { Database } from '../../database/database.js';
import { LOGGER } from '../../http/log/logger.js';
import { passkeyUse } from '../../model/passkeys.js';
import { refusal } from '../../shared/errors.js';
import { scalarText } from '../../shared/json.js';
import { shortened } from '../../shared/texts.js';
import {
  findPasskeyStatement,
  type FoundPasskey,
  giveHandleStatement,
  passkeysOfMemberStatement,
  usePasskeyStatement,
} from '../../sql/member/passkey.sql.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { AuthRequest } from '../auth-request.js';
import { Notices } from '../notices.js';
import { OneTimeSecrets } from '../one-time-secrets.js';
import { type Credential, findCredential } from '../credential.js';
import { wrongProof } from '../refusals.js';
import type { PasskeyAnswerBody } from './passkey.dto.js';
import {
  ALGORITHMS,
  library,
  type NewPasskey,
  readNewPasskey,
  readPasskeyUse,
  RefusedResponse,
} from './passkey-response.js';

const CHALLENGE_MINUTES = 5;
const HANDLE_BYTES = 64;
/** Base64url, as devices name passkeys. */
const CREDENTIAL_ID = /^[\w-]+$/;

/** What a page passes to the device, and how its answer names the challenge. */
interface Challenge<Options> {
  readonly challenge_id: string;
  readonly options: Options;
}

type Scope = Pick<RequestScope, 'project' | 'requestId'>;

interface UsedPasskey {
  readonly passkeyId: string;
  readonly member: Credential;
}

@Injectable()
export class PasskeyStore {
  constructor(
    private readonly audit: AuditLog,
    private readonly database: Database,
    private readonly notices: Notices,
    private readonly secrets: OneTimeSecrets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** For a new passkey of a member. @throws KindError 400 */
  async creation(project: Project, member: Credential): Promise<Challenge<PublicKeyCredentialCreationOptionsJSON>> {
    const { domain } = useOf(project);
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: project.label,
      rpID: domain,
      userName: member.username,
      userDisplayName: member.username,
      userID: new Uint8Array(Buffer.from(await this.#handleOf(project, member), 'base64url')),
      timeout: CHALLENGE_MINUTES * 60_000,
      excludeCredentials: await this.#of(project, domain, member.member_id),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return this.#withChallenge(project, 'passkey', member.member_id, options);
  }

  /** For the use of a passkey, whoever has it. @throws KindError 400 */
  async request(project: Project): Promise<Challenge<PublicKeyCredentialRequestOptionsJSON>> {
    const { domain } = useOf(project);
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      rpID: domain,
      userVerification: 'required',
      timeout: CHALLENGE_MINUTES * 60_000,
    });
    return this.#withChallenge(project, 'passkey_use', null, options);
  }

  /** The passkey that a device has made for a member. @throws KindError 400 */
  async made(
    project: Project,
    memberId: string,
    { challenge_id: id, response }: PasskeyAnswerBody,
  ): Promise<NewPasskey> {
    const use = useOf(project);
    const challenge = await this.secrets.useToken(project, 'passkey', id);
    if (challenge?.member_id !== memberId) throw wrongProof();
    const made = await readNewPasskey(response, { ...use, challenge: scalarText(challenge.data) });
    if (!(made instanceof RefusedResponse)) return made;
    this.#tell(project, made);
    throw wrongProof();
  }

  /** The passkey that an answer names; undefined if there is none. @throws KindError 400 */
  async find(project: Project, response: object): Promise<FoundPasskey | undefined> {
    const { domain } = useOf(project);
    if (!('id' in response) || typeof response.id !== 'string' || !CREDENTIAL_ID.test(response.id)) return undefined;
    const statement = findPasskeyStatement(project.schema, domain, response.id);
    return (await this.database.ofProject(project).run<FoundPasskey>(statement))[0];
  }

  /**
   * Uses a passkey, if the answer is right; else undefined. Without one (`found`) it takes the same work.
   * @throws KindError 400, 401
   */
  async use(
    scope: Scope,
    client: Pick<AuthRequest, 'afterAnswer'>,
    { challenge_id: id, response }: PasskeyAnswerBody,
    found: FoundPasskey | undefined,
  ): Promise<UsedPasskey | undefined> {
    const { project } = scope;
    const { schema } = project;
    const executor = this.database.ofProject(project);
    const challenge = await this.secrets.useToken(project, 'passkey_use', id);
    const expected = { ...useOf(project), challenge: challenge ? scalarText(challenge.data) : '' };
    const { public_key: publicKey, handle } = found ?? NOBODYS;
    const use = await readPasskeyUse(response, expected, { publicKey, handle });
    if (use instanceof RefusedResponse || !found || !challenge) {
      if (use instanceof RefusedResponse) this.#tell(project, use);
      return undefined;
    }
    const member = await findCredential(executor, project, found.member_id);
    if (!member) return undefined;
    const used = await executor.run(usePasskeyStatement(schema, { id: found.id, ...use }));
    if (used.length > 0) return { passkeyId: found.id, member };
    // Unless it was removed meanwhile.
    if (await this.find(project, response)) await this.#tellOfCopy(scope, client, found, member);
    return undefined;
  }

  /** How many of a member can be used now. */
  async countOf(project: Project, memberId: string): Promise<number> {
    const use = passkeyUse(project.settings);
    return use ? (await this.#of(project, use.domain, memberId)).length : 0;
  }

  #of(project: Project, domain: string, memberId: string): Promise<{ id: string; transports: string[] }[]> {
    return this.database.ofProject(project).run(passkeysOfMemberStatement(project.schema, domain, memberId));
  }

  /** By which devices know the member: the same for all of its passkeys. */
  async #handleOf(project: Project, { member_id: memberId }: Credential): Promise<string> {
    const made = randomBytes(HANDLE_BYTES).toString('base64url');
    const statement = giveHandleStatement(project.schema, memberId, made);
    const [row] = await this.database.ofProject(project).run<{ handle: string }>(statement);
    return row?.handle ?? made;
  }

  async #withChallenge<Options extends { readonly challenge: string }>(
    project: Project,
    purpose: 'passkey' | 'passkey_use',
    memberId: string | null,
    options: Options,
  ): Promise<Challenge<Options>> {
    const terms = { memberId, data: options.challenge, minutes: CHALLENGE_MINUTES };
    return { challenge_id: await this.secrets.makeToken(project, purpose, terms), options };
  }

  /** A device counts the uses of its passkey, so that one whose counter has not risen is a copy, or was copied. */
  async #tellOfCopy(
    { project, requestId }: Scope,
    client: Pick<AuthRequest, 'afterAnswer'>,
    { id }: FoundPasskey,
    member: Credential,
  ): Promise<void> {
    await this.notices.about(project, client, [member], 'passkey_copied', async () => {
      const details = { id, member: member.member_id };
      const entry = { project: project.id, caller: ANONYMOUS, requestId, details };
      this.audit.record({ action: 'passkey.refused', ...entry });
    });
  }

  /** Nobody else is told why, and a wrong setting is found. */
  #tell({ id }: Project, { reason }: RefusedResponse): void {
    this.logger.debug({ project: id, reason: shortened(reason) }, 'answer of a passkey refused');
  }
}

/** What the project uses passkeys for. @throws KindError 400 */
function useOf({ settings }: Project) {
  const use = passkeyUse(settings);
  if (use) return use;
  throw refusal(
    'passkey.not_set_up',
    'This project takes no passkeys: passkey_domain and passkey_origins are not both set, or no origin is at the domain',
  );
}

/** A key that nobody has, with which an answer is checked that names no passkey. */
const NOBODYS = {
  public_key: 'pQECAyYgASFYIDB5_69UOto8o-hsQT6cxNmaWT8cAPLm1tF8eurz92u9IlggE3wJWaKIfyUtfMm1adCtMvqcdNKFSyZooBgY0UcrELA',
  handle: '',
};

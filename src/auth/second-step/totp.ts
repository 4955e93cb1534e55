/**
 * Codes of an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds, one step of tolerance) and recovery codes.
 * Each code works once: the last accepted step is stored, and a recovery code goes when it is used.
 */
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Secret, TOTP } from 'otpauth';
import { SECRET } from '../../config/config.js';
import { Database, type Executor } from '../../database/database.js';
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { TOTP_SECRET } from '../../model/built-in/member-fields.js';
import { keyedHash } from '../../shared/derived-key.js';
import { refusal } from '../../shared/errors.js';
import { SecretBox } from '../../shared/secret-box.js';
import {
  confirmTotpStatement,
  removeTotpStatement,
  setRecoveryCodesStatement,
  storeTotpStatement,
  useRecoveryCodeStatement,
  useStepStatement,
} from '../../sql/member/totp.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { Credential } from '../credential.js';
import { wrongProof } from '../refusals.js';
import { Throttle } from '../throttle.js';

const PERIOD = 30;
const SECRET_BYTES = 20;
const CODE = /^\d{6}$/;
const RECOVERY_CODES = 10;
/** That of base32: nobody takes one of these for another. A code has 50 bits. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RECOVERY_LENGTH = 10;

/** What an authenticator app needs. */
interface NewTotp {
  /** In base32. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

/** The first code of a secret, which fits. */
interface FirstCode {
  readonly memberId: string;
  readonly sealedSecret: string;
  readonly step: number;
}

@Injectable()
export class Totp {
  readonly #hash: (...parts: readonly string[]) => string;

  constructor(
    private readonly box: SecretBox,
    private readonly database: Database,
    private readonly throttle: Throttle,
    @Inject(SECRET) secret: string,
  ) {
    this.#hash = keyedHash(secret, 'recovery codes');
  }

  /** Makes a secret, which is not asked for before it is confirmed. @throws KindError 409 */
  async begin(project: Project, member: Credential): Promise<NewTotp> {
    const { member_id: memberId, username } = member;
    const { Secret: SecretClass } = await library();
    const secret = new SecretClass({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer });
    const sealed = this.box.seal(secret.base32, placeOf(project, member));
    const stored = await this.database.ofProject(project).run(storeTotpStatement(project.schema, memberId, sealed));
    if (stored.length === 0) throw refusal('totp.exists', 'An authenticator app is set up already: remove it first');
    return { secret: secret.base32, uri: (await generator(secret, project.label, username)).toString() };
  }

  /** Checks the first code of a secret. @throws KindError 400, 409, 429 */
  async firstCode(project: Project, member: Credential, code: string): Promise<FirstCode> {
    const { member_id: memberId, totp_secret: sealedSecret, totp_confirmed: confirmed } = member;
    if (sealedSecret === null || confirmed)
      throw refusal('totp.missing', 'No secret waits for its first code: ask for one before');
    const step = await this.throttle.limitWrong(project, memberId, () => this.#stepOf(project, member, typed(code)));
    return { memberId, sealedSecret, step };
  }

  /**
   * Asks for codes from now on.
   * @returns the recovery codes @throws KindError 400 if another request has changed the secret
   */
  async confirm(executor: Executor, project: Project, first: FirstCode): Promise<readonly string[]> {
    const { codes, hashes } = this.#newRecoveryCodes(first.memberId);
    const statement = confirmTotpStatement(project.schema, { ...first, recoveryCodes: hashes });
    if ((await executor.run(statement)).length === 0) throw wrongProof();
    return codes;
  }

  /** Uses a code of the app, or a recovery code. @throws KindError 400 `proof.wrong`, 429 after five wrong ones */
  async use(project: Project, member: Credential, text: string): Promise<void> {
    const { member_id: memberId } = member;
    const code = typed(text);
    await this.throttle.limitWrong(project, memberId, async () => {
      const statement = CODE.test(code)
        ? useStepStatement(project.schema, memberId, await this.#stepOf(project, member, code))
        : useRecoveryCodeStatement(project.schema, memberId, this.#hashOf(memberId, code));
      const used = await this.database.ofProject(project).run(statement);
      if (used.length === 0) throw wrongProof();
    });
  }

  /** New recovery codes in place of the former ones. @throws KindError 409 */
  async renewRecoveryCodes(executor: Executor, project: Project, memberId: string): Promise<readonly string[]> {
    const { codes, hashes } = this.#newRecoveryCodes(memberId);
    const set = await executor.run(setRecoveryCodesStatement(project.schema, memberId, hashes));
    if (set.length === 0) throw noApp();
    return codes;
  }

  /** @throws KindError 409 */
  async remove(executor: Executor, { schema }: Project, memberId: string): Promise<void> {
    const removed = await executor.run(removeTotpStatement(schema, memberId));
    if (removed.length === 0) throw noApp();
  }

  /** The step of a code. @throws KindError 400 if it is of none that may be used now */
  async #stepOf(project: Project, member: Credential, code: string): Promise<number> {
    if (!CODE.test(code)) throw wrongProof();
    const { totp_secret: sealed } = member;
    const secret = sealed === null ? undefined : this.box.open(sealed, placeOf(project, member));
    if (secret === undefined) {
      throw refusal('secret.closed', 'The secret of the authenticator app cannot be read: tell an administrator');
    }
    const { Secret: SecretClass } = await library();
    const totp = await generator(SecretClass.fromBase32(secret));
    const now = Date.now();
    const delta = totp.validate({ token: code, timestamp: now, window: 1 });
    if (delta === null) throw wrongProof();
    return Math.floor(now / 1000 / PERIOD) + delta;
  }

  #newRecoveryCodes(memberId: string) {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    return { codes, hashes: codes.map((code) => this.#hashOf(memberId, code)) };
  }

  #hashOf(memberId: string, code: string): string {
    return this.#hash(memberId, code.toUpperCase().replace(/[^A-Z2-7]/g, ''));
  }
}

function noApp() {
  return refusal('totp.missing', 'No authenticator app is set up');
}

/** Apps show codes in groups, and so are recovery codes. */
function typed(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** Imported with the first use: most projects have no need of it. */
function library(): Promise<typeof import('otpauth')> {
  return import('otpauth');
}

async function generator(secret: Secret, issuer = '', label = ''): Promise<TOTP> {
  const { TOTP: Generator } = await library();
  return new Generator({ secret, issuer, label, algorithm: 'SHA1', digits: 6, period: PERIOD });
}

/** In two groups, which are easier to type. */
function newRecoveryCode(): string {
  const text = [...randomBytes(RECOVERY_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${text.slice(0, RECOVERY_LENGTH / 2)}-${text.slice(RECOVERY_LENGTH / 2)}`;
}

/** As a copy of the project expects it. */
function placeOf(project: Project, { id }: Credential): readonly string[] {
  return [project.id, CREDENTIAL_KIND, id, TOTP_SECRET];
}

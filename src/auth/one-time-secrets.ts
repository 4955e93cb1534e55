/**
 * Secrets that work once, for a while: codes that people type, and tokens that programs send. Only hashes are stored. A
 * code can be guessed, so its tries are limited and its hash has a secret key; a token has 128 random bits.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ExpiredRows } from '../catalog/project/expired-rows.js';
import { SECRET } from '../config/config.js';
import { Database, type Executor } from '../database/database.js';
import { ONE_TIME_TABLE } from '../model/table/internal-tables.js';
import { keyedHash } from '../shared/derived-key.js';
import type { Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { sha256 } from '../shared/sha256.js';
import {
  deleteOldestStatement,
  deleteSecretsOfMemberStatement,
  findSecretStatement,
  type OneTimeRow,
  storeSecretStatement,
  takeSecretStatement,
  trySecretStatement,
} from '../sql/member/one-time.sql.js';
import type { Project } from '../tenancy/project.js';

const MAX_TRIES = 5;
const TOKEN_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** What a secret is for; it is taken for nothing else. */
type Purpose = 'code' | 'email' | 'sign-in' | 'recovery' | 'passkey' | 'passkey_use' | 'provider' | 'exchange' | 'link';

/** What anybody begins as often as they like: strangers with many addresses, and members. */
const BEGUN = ['provider', 'passkey_use', 'sign-in', 'passkey', 'link'] as const satisfies readonly Purpose[];

interface Terms {
  readonly memberId: string | null;
  /** What is remembered with it. */
  readonly data?: Json;
  readonly minutes: number;
}

@Injectable()
export class OneTimeSecrets {
  readonly #hash: (...parts: readonly string[]) => string;

  constructor(
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    @Inject(SECRET) secret: string,
  ) {
    this.#hash = keyedHash(secret, 'sign-in codes');
  }

  /** Makes a code of some digits for a holder, such as a member. It replaces an older one. */
  async makeCode(
    project: Project,
    purpose: Purpose,
    holder: string,
    terms: Terms & { digits: number },
  ): Promise<string> {
    const code = String(randomInt(10 ** terms.digits)).padStart(terms.digits, '0');
    const hash = this.#hash(project.id, purpose, holder, code);
    await this.#store(project, { id: this.#idOfCode(project, purpose, holder), hash }, terms);
    return code;
  }

  /** Uses the code of a holder; undefined if it is wrong, used, expired or was tried too often. */
  async useCode(project: Project, purpose: Purpose, holder: string, code: string): Promise<OneTimeRow | undefined> {
    return this.tryCode(project, purpose, holder, code, 0);
  }

  /** The same, but a right code stays for some minutes, until it is taken; a try is counted all the same. */
  async tryCode(
    project: Project,
    purpose: Purpose,
    holder: string,
    code: string,
    minutes: number,
  ): Promise<OneTimeRow | undefined> {
    const hash = this.#hash(project.id, purpose, holder, code.trim());
    const terms = { hash, tries: MAX_TRIES, keep: minutes * 60 };
    const statement = trySecretStatement(project.schema, this.#idOfCode(project, purpose, holder), terms);
    const [row] = await this.database.ofProject(project).run<OneTimeRow & { fits: boolean }>(statement);
    return row?.fits ? row : undefined;
  }

  /** Takes the code of a holder that was right; false if another request has taken it. */
  async takeCode(
    project: Project,
    purpose: Purpose,
    holder: string,
    executor: Executor = this.database.ofProject(project),
  ): Promise<boolean> {
    const statement = takeSecretStatement(project.schema, this.#idOfCode(project, purpose, holder));
    return (await executor.run<OneTimeRow>(statement)).length > 0;
  }

  /** @param terms with `proof`: what `tryToken` asks for beside the token */
  async makeToken(project: Project, purpose: Purpose, terms: Terms & { readonly proof?: string }): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.#store(project, { id: idOfToken(purpose, token), hash: terms.proof ?? null }, terms);
    return token;
  }

  /**
   * What a token is of, which stays for some minutes, until it is used or was tried too often. A wrong proof uses it.
   * Undefined if the proof is wrong, or the token is unknown, used or expired.
   */
  async tryToken(
    project: Project,
    purpose: Purpose,
    token: string,
    { proof, minutes, tries }: { readonly proof: string; readonly minutes: number; readonly tries: number },
  ): Promise<OneTimeRow | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const terms = { hash: proof, tries, keep: minutes * 60 };
    const statement = trySecretStatement(project.schema, idOfToken(purpose, token), terms);
    const [row] = await this.database.ofProject(project).run<OneTimeRow & { fits: boolean }>(statement);
    if (row && !row.fits) await this.useToken(project, purpose, token);
    return row?.fits ? row : undefined;
  }

  /** What a token is of, which stays; undefined if it is unknown, used or expired. */
  async findToken(
    project: Project,
    purpose: Purpose,
    token: string,
    executor: Executor = this.database.ofProject(project),
  ): Promise<OneTimeRow | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const statement = findSecretStatement(project.schema, idOfToken(purpose, token));
    return (await executor.run<OneTimeRow>(statement))[0];
  }

  /** Uses a token; undefined if it is unknown, used or expired. */
  async useToken(
    project: Project,
    purpose: Purpose,
    token: string,
    executor: Executor = this.database.ofProject(project),
  ): Promise<OneTimeRow | undefined> {
    const statement = takeSecretStatement(project.schema, idOfToken(purpose, token));
    return (await executor.run<OneTimeRow>(statement))[0];
  }

  /** Makes all that a member was sent invalid. */
  async endOf(executor: Executor, { schema }: Project, memberId: string): Promise<void> {
    await executor.run(deleteSecretsOfMemberStatement(schema, memberId));
  }

  async #store(
    project: Project,
    secret: { readonly id: string; readonly hash: string | null },
    { memberId, data = null, minutes }: Terms,
  ): Promise<void> {
    const executor = this.database.ofProject(project);
    const isSwept = await this.expired.sweep(executor, project.schema, ONE_TIME_TABLE);
    for (const purpose of isSwept ? BEGUN : [])
      await executor.run(deleteOldestStatement(project.schema, purpose, LIMITS.signInsUnderWay));
    await executor.run(storeSecretStatement(project.schema, { ...secret, memberId, data, lifetime: minutes * 60 }));
  }

  /** Without the name of the holder, which may be an address. */
  #idOfCode(project: Project, purpose: Purpose, holder: string): string {
    return `${purpose} ${this.#hash(project.id, purpose, holder)}`;
  }
}

/** A token can't be guessed, so a hash without a key or salt is sufficient. */
function idOfToken(purpose: Purpose, token: string): string {
  return `${purpose} ${sha256(token)}`;
}

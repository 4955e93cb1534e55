/** Sign-in codes. Six digits can be guessed, so tries are limited, and stored hashes use a secret key. */
import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ExpiredRows } from '../catalog/project/expired-rows.js';
import { SECRET } from '../config/config.token.js';
import { Database } from '../database/database.js';
import { CODE_TABLE } from '../model/table/internal-tables.js';
import { storeCodeStatement, tryCodeStatement } from '../sql/member/recovery.sql.js';
import type { Project } from '../tenancy/project.js';
import { keyedHash } from './keyed-hash.js';

export const CODE_MINUTES = 10;
const MAX_TRIES = 5;

@Injectable()
export class SignInCodes {
  readonly #hash: (...parts: readonly string[]) => string;

  constructor(
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    @Inject(SECRET) secret: string,
  ) {
    this.#hash = keyedHash(secret, 'sign-in codes');
  }

  /** Creates a code for a member, which replaces an older one. */
  async make(project: Project, memberId: string): Promise<string> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const hash = this.#hash(project.id, memberId, code);
    const executor = this.database.ofProject(project);
    await this.expired.sweep(executor, project.schema, CODE_TABLE);
    await executor.run(storeCodeStatement(project.schema, { memberId, hash, lifetime: CODE_MINUTES * 60 }));
    return code;
  }

  /** Uses the member's code; false if it is wrong, used, expired or was tried too often. */
  async use(project: Project, memberId: string, code: string): Promise<boolean> {
    const hash = this.#hash(project.id, memberId, code.trim());
    const [row] = await this.database
      .ofProject(project)
      .run<{ fits: boolean }>(tryCodeStatement(project.schema, memberId, hash, MAX_TRIES));
    return row?.fits ?? false;
  }
}

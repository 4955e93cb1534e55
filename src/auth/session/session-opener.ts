/** The member session (docs/auth.md), which sign-up, sign-in and refresh answer. */
import { Injectable } from '@nestjs/common';
import { readableFields } from '../../access/masks.js';
import type { Executor } from '../../database/database.js';
import { activeMemberKind, type Model } from '../../model/model.js';
import { EMAIL_VERIFIED_AT } from '../../model/built-in/member-fields.js';
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { recordAccessStatement } from '../../sql/member/credential.sql.js';
import { memberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { SessionStore, type SessionGrant, type SessionStart } from './session-store.js';
import { TokenService, type Tokens } from './token.service.js';

/** With the fields of the member. */
export type MemberSession = Tokens & Readonly<Record<string, unknown>>;

@Injectable()
export class SessionOpener {
  constructor(
    private readonly sessions: SessionStore,
    private readonly tokens: TokenService,
  ) {}

  /**
   * Starts a session; undefined if the member is deleted, its kind is inactive or no member kind, or what it has proved,
   * or was not asked for, is another by now.
   */
  async open(
    executor: Executor,
    project: Project,
    model: Model,
    member: SessionStart,
  ): Promise<MemberSession | undefined> {
    const found = await this.#touch(executor, project, model, member);
    if (!found) return undefined;
    const grant = await this.sessions.start(executor, project, member);
    return grant && this.#present(project, member, found, grant);
  }

  /** Continues a session with a new grant; undefined if the member is deleted, or its kind is inactive or no member kind. */
  async resume(
    executor: Executor,
    project: Project,
    model: Model,
    member: SessionStart,
    grant: SessionGrant,
  ): Promise<MemberSession | undefined> {
    const found = await this.#touch(executor, project, model, member);
    return found && this.#present(project, member, found, grant);
  }

  async #touch(
    executor: Executor,
    project: Project,
    model: Model,
    { kindId, memberId }: SessionStart,
  ): Promise<Record<string, unknown> | undefined> {
    const kind = activeMemberKind(model, kindId);
    if (!kind) return undefined;
    const shown = [...readableFields(kind, memberCaller(memberId, kindId), model).values()];
    const statement = recordAccessStatement(project.schema, kind, shown, memberId);
    const [row] = await executor.run<{ body: string }>(statement);
    return row && (JSON.parse(row.body) as Record<string, unknown>);
  }

  #present(
    project: Project,
    { kindId, memberId }: SessionStart,
    member: Record<string, unknown>,
    grant: SessionGrant,
  ): MemberSession {
    const session = {
      ...this.tokens.issue(project.id, kindId, memberId, grant),
      auth_token: null,
      kind_id: kindId,
      ...Object.fromEntries(SESSION_FIELDS.map((key) => [key, member[key]])),
    };
    const own = Object.entries(member).filter(([key]) => !LEFT_OUT.includes(key));
    return { ...session, ...Object.fromEntries(own) };
  }
}

/** Fields of the member that a session does not have; `/auth/me` answers them. */
const LEFT_OUT: readonly string[] = ['updated_at', EMAIL_VERIFIED_AT];

const SESSION_FIELDS: readonly string[] = [
  ...[CREDENTIAL_KIND, 'id', 'email', 'first_name', 'last_name'],
  ...['first_access_time', 'last_access_time', 'inserted_at', 'metadata'],
];

/**
 * Sessions. A token is valid as long as its session is stored. A positive check is cached for a second, so an ended
 * session is refused on every process within a second, and at once on the process that ended it.
 */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { ExpiredRows } from '../../catalog/project/expired-rows.js';
import { type Config, CONFIG } from '../../config/config.js';
import { Database, type Executor } from '../../database/database.js';
import { SESSION_TABLE } from '../../model/table/internal-tables.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { isUuid } from '../../shared/identifiers.js';
import { lruCache } from '../../shared/maps.js';
import { MetricSources } from '../../shared/metric-sources.js';
import {
  aliveSessionsStatement,
  findSessionStatement,
  endSessionsStatement,
  rotateTokenStatement,
  listSessionsStatement,
  recordSecondStepStatement,
  recordUseStatement,
  startSessionStatement,
  findSuccessorStatement,
  type EndedSessions,
  type SessionClient,
  type SessionPage,
  type WayInUnit,
  type FoundSession,
  memberKindStatement,
} from '../../sql/member/session.sql.js';
import { CALLER_LASTS } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { invalidToken } from '../../http/request/bearer.js';

/** The values from which the tokens of a session are made; the same grant makes the same tokens. */
export interface SessionGrant {
  readonly sessionId: string;
  readonly refreshId: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** A member that has been authenticated. */
export interface SessionStart {
  readonly kindId: string;
  readonly memberId: string;
  /** The hash that the password was checked with. */
  readonly password?: string | undefined;
  /** The passkey or the identity that was used. */
  readonly unit?: WayInUnit | undefined;
  /** Whether it has used its authenticator app or a passkey. */
  readonly secondStep?: boolean | undefined;
  readonly client?: SessionClient | undefined;
}

interface CheckedSession {
  readonly memberKind: string;
  /** Why its member is held. */
  readonly held: HeldReason | null;
  /** The settings with which that was found: others may ask for more. */
  readonly settings: MemberDemands;
  /** The version of the model then: the kind may have another id since. */
  readonly version: number;
}

/** Seconds in which a used refresh token still returns its successor, for a second tab and parallel calls. */
const REUSE_WINDOW = 10;

@Injectable()
export class SessionStore {
  readonly #checked = lruCache<CheckedSession>(50_000, { ttl: CALLER_LASTS });
  /** How often this process has ended sessions. */
  #endCount = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    @Inject(CONFIG) private readonly config: Config,
    metricSources: MetricSources,
  ) {
    metricSources.addCache('sessions', this.#checked);
  }

  /** Undefined if what the member has proved, or was not asked for, is another by now. */
  async start(
    executor: Executor,
    project: Project,
    { kindId, memberId, password, unit, secondStep, client }: SessionStart,
  ): Promise<SessionGrant | undefined> {
    const [sessionId, refreshId] = [randomUUID(), randomUUID()];
    const lifetime = this.config.refreshTokenTtl / 1000;
    const session = { id: sessionId, client, memberKind: kindId, memberId, refresh: refreshId, lifetime };
    const [row] = await executor.run<{ issued: number }>(
      startSessionStatement(project.schema, {
        ...session,
        ...(password !== undefined && { password }),
        ...(unit && { unit }),
        ...(secondStep !== undefined && { secondStep }),
      }),
    );
    if (!row) return undefined;
    await this.expired.sweep(executor, project.schema, SESSION_TABLE);
    return { sessionId, refreshId, issuedAt: row.issued };
  }

  /** @throws KindError 401 if the session has ended */
  check(project: Project, sessionId: string): MaybePromise<CheckedSession> {
    const known = this.#checked.get(sessionId);
    return known && this.#isCurrent(known, project) ? known : this.#checkStored(project, sessionId);
  }

  #isCurrent({ settings, version }: CheckedSession, project: Project): boolean {
    return settings === project.settings && version === (this.catalog.cached({ project })?.version ?? version);
  }

  /** The kind of the member of a session, as it is called now. @throws KindError 401 if there is none */
  async memberKind(executor: Executor, { schema }: Project, sessionId: string): Promise<string> {
    const [row] = await executor.run<{ member_kind: string | null }>(memberKindStatement(schema, sessionId));
    if (!row?.member_kind) throw invalidToken();
    return row.member_kind;
  }

  /** Whether a session has not ended, as it is stored: another process may have ended it a moment ago. */
  async isStored(executor: Executor, { schema, settings }: Project, sessionId: string): Promise<boolean> {
    return (await executor.run(findSessionStatement(schema, sessionId, settings))).length > 0;
  }

  /** The member has used its second step in a session, or set it up: the session may let it go further. */
  async recordSecondStep(executor: Executor, { schema }: Project, sessionId: string): Promise<void> {
    await executor.run(recordSecondStepStatement(schema, sessionId));
    const forget = (): void => void this.#checked.delete(sessionId);
    forget();
    executor.tx?.afterCommit(forget);
  }

  /** Makes this process ask again what all sessions may; in a transaction, once more after the commit. */
  forgetAll(executor: Executor): void {
    const forget = (): void => {
      this.#endCount += 1;
      this.#checked.clear();
    };
    forget();
    executor.tx?.afterCommit(forget);
  }

  /** The kinds of the members of those of the sessions that have not ended, and whose members are not held. */
  async alive(project: Project, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const statement = aliveSessionsStatement(project.schema, ids, project.settings);
    const rows = await this.database.ofProject(project).run<{ id: string; member_kind: string }>(statement);
    return new Map(rows.map(({ id, member_kind: kind }) => [id, kind]));
  }

  async #checkStored(project: Project, sessionId: string): Promise<CheckedSession> {
    if (!isUuid(sessionId)) throw invalidToken();
    const endCountBefore = this.#endCount;
    const [row] = await this.catalog.inProject(project, async () => {
      const found = await this.database
        .ofProject(project)
        .run<FoundSession>(findSessionStatement(project.schema, sessionId, project.settings));
      if (found[0]?.unrecorded)
        await this.database.ofProject(project).run(recordUseStatement(project.schema, sessionId));
      return found;
    });
    if (!row) throw invalidToken();
    const { member_kind: memberKind, held } = row;
    const checked = { memberKind, held, settings: project.settings, version: Number(row.v) };
    // If sessions were ended during the query, this one may be among them.
    if (endCountBefore === this.#endCount) this.#checked.set(sessionId, checked);
    return checked;
  }

  /**
   * Uses a refresh token. Used again within the window it returns the same successor; later it ends the session.
   * @throws KindError 401
   */
  async rotate(project: Project, sessionId: string, token: string, client: SessionClient): Promise<SessionGrant> {
    const successor = randomUUID();
    const lifetime = this.config.refreshTokenTtl / 1000;
    const rotated = await this.database
      .ofProject(project)
      .run<{ issued: number }>(
        rotateTokenStatement(project.schema, { client, token, successor, lifetime, window: REUSE_WINDOW }),
      );
    if (rotated[0]) {
      await this.expired.sweep(this.database.ofProject(project), project.schema, SESSION_TABLE);
      return { sessionId, refreshId: successor, issuedAt: rotated[0].issued };
    }
    const [known] = await this.database
      .ofProject(project)
      .run<{ id: string; issued: number; recent: boolean }>(
        findSuccessorStatement(project.schema, token, REUSE_WINDOW),
      );
    if (known?.recent) return { sessionId, refreshId: known.id, issuedAt: known.issued };
    await this.end(this.database.ofProject(project), project, { id: sessionId });
    throw invalidToken();
  }

  /** The number of sessions of a member, and a page of them as JSON text. */
  async list(project: Project, page: SessionPage): Promise<{ count: number; items: string }> {
    const statement = listSessionsStatement(project.schema, page);
    const [row] = await this.database.ofProject(project).run<{ count: number; items: string }>(statement);
    return row ?? { count: 0, items: '[]' };
  }

  /**
   * Ends sessions, and returns how many. In a transaction, the cache is cleared again after the commit.
   */
  async end(executor: Executor, project: Project, which: EndedSessions): Promise<number> {
    const rows = await executor.run<{ id: string }>(endSessionsStatement(project.schema, which));
    const forget = (): void => {
      this.#endCount += 1;
      for (const { id } of rows) this.#checked.delete(id);
    };
    forget();
    executor.tx?.afterCommit(forget);
    return rows.length;
  }
}

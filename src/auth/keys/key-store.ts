/**
 * Finds the callers of API keys. As with sessions, a positive check is cached for a second, so a key that was deleted or
 * changed is refused on every process within a second, and at once on the process that changed it.
 */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { keyScopeOf } from '../../access/key-scope.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { type Config, CONFIG } from '../../config/config.js';
import type { MemberDemands } from '../../model/held-members.js';
import { Database, type Executor } from '../../database/database.js';
import { clientAddress } from '../../http/request/client-address.js';
import type { HttpRequest } from '../../http/request/request.js';
import { retryLater } from '../../shared/errors.js';
import { projectOfSecret } from '../../shared/key-secret.js';
import { lruCache } from '../../shared/maps.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { sha256 } from '../../shared/sha256.js';
import { SharedLoads } from '../../shared/shared-loads.js';
import {
  findKeyStatement,
  type FoundKey,
  keyScopesStatement,
  recordKeyUseStatement,
} from '../../sql/member/api-key.sql.js';
import {
  type AgentRights,
  CALLER_LASTS,
  type CallerKey,
  memberCaller,
  type MemberCaller,
} from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { invalidToken } from '../../http/request/bearer.js';
import { ATTEMPT_LIMITS } from '../throttle.js';

/** Keys in memory, and the characters of their secrets and scopes. */
const CACHED = { keys: 50_000, characters: 32 * 1024 * 1024 } as const;
/** Milliseconds that an unknown key is cached. */
const MISS_TTL = 1000;
const MOST_MISSES = 10_000;

/** What a key may do, and of which kind its member is now. */
interface KeyNow extends Omit<CallerKey, 'id'> {
  readonly memberKind: string;
}

interface CheckedKey {
  readonly projectId: string;
  readonly caller: MemberCaller;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** The version of the model with which its scope was read: a change of definitions may narrow the scope. */
  readonly version: number;
  /** `#changes` before it was read. */
  readonly change: number;
  /** The settings with which it was found whether the member is held. */
  readonly settings: MemberDemands;
  readonly size: number;
}

@Injectable()
export class KeyStore {
  readonly #checked = new LRUCache<string, CheckedKey>({
    maxSize: CACHED.characters,
    // With the option `max`, it would allocate for all keys when it is made.
    sizeCalculation: ({ size }) => Math.max(size, Math.ceil(CACHED.characters / CACHED.keys)),
    ttl: CALLER_LASTS,
  });
  readonly #loads = new SharedLoads<CheckedKey | undefined>();
  /** `#changes` before an unknown key was looked up. */
  readonly #unknown = lruCache<number>(MOST_MISSES, { ttl: MISS_TTL });
  /** Hashes of keys that this process has seen: failures of others from the same address do not hold them up. */
  readonly #known = lruCache<true>(CACHED.keys);
  readonly #failed = new FailedKeys();
  /** How often this process has changed keys, and the last time by project. */
  #changes = 0;
  readonly #lastChange = lruCache<number>(10_000);

  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    metricSources: MetricSources,
  ) {
    metricSources.addCache('API keys', this.#checked);
  }

  /** The caller of a secret, without a statement if it is cached. @throws KindError 401; 429 after too many failures */
  resolve(secret: string, project: Project, request: HttpRequest): MaybePromise<MemberCaller> {
    const known = this.#checked.get(secret);
    if (known && this.#isCurrent(known, project)) return known.caller;
    return this.#find(secret, project, request);
  }

  /** Those of the keys that are there and have not expired. */
  async alive(project: Project, ids: readonly string[]): Promise<ReadonlyMap<string, KeyNow>> {
    if (ids.length === 0) return new Map();
    const statement = keyScopesStatement(project.schema, ids, project.settings);
    const rows = await this.database
      .ofProject(project)
      .run<Pick<FoundKey, 'id' | 'scope' | 'agent' | 'writes' | 'member_kind'>>(statement);
    const now = rows.map((row): [string, KeyNow] => [
      row.id,
      { memberKind: row.member_kind, scope: keyScopeOf(row.scope), ...agentOf(row) },
    ]);
    return new Map(now);
  }

  /** Makes this process read the keys of a project again. In a transaction, once more after the commit. */
  forget({ id }: Project, executor: Executor): void {
    const forget = (): void => void this.#lastChange.set(id, (this.#changes += 1));
    forget();
    executor.tx?.afterCommit(forget);
  }

  #isCurrent({ projectId, expires, version, change, settings }: CheckedKey, project: Project): boolean {
    if (projectId !== project.id || expires <= Date.now()) return false;
    if (settings !== project.settings) return false;
    const current = this.catalog.cached({ project })?.version;
    return (current === undefined || current === version) && this.#isLatest(change, project);
  }

  /** Whether this process has changed no key of the project since. */
  #isLatest(change: number, { id }: Project): boolean {
    return change >= (this.#lastChange.get(id) ?? 0);
  }

  async #find(secret: string, project: Project, request: HttpRequest): Promise<MemberCaller> {
    if (projectOfSecret(secret) !== project.id) throw invalidToken();
    const hash = sha256(secret);
    if (this.#isLatest(this.#unknown.get(hash) ?? -1, project)) throw invalidToken();
    const address = clientAddress(request);
    const limited = this.config.authRateLimit && !this.#known.has(hash);
    if (limited) this.#failed.refuseTooMany(project.id, address);
    const found = await this.#loads.run(`${this.#changes} ${hash}`, () => this.#load(project, secret, hash));
    if (!found) {
      if (limited) this.#failed.count(project.id, address);
      throw invalidToken();
    }
    return found.caller;
  }

  async #load(project: Project, secret: string, hash: string): Promise<CheckedKey | undefined> {
    const change = this.#changes;
    const [row] = await this.catalog.withModel({ project }, () =>
      this.database.ofProject(project).run<FoundKey>(findKeyStatement(project.schema, hash, project.settings)),
    );
    if (!row) {
      this.#unknown.set(hash, change);
      return undefined;
    }
    this.#known.set(hash, true);
    if (row.unrecorded) this.#recordUse(project, row.id);
    const scope = keyScopeOf(row.scope);
    const member = memberCaller(row.member_id, row.member_kind);
    const checked: CheckedKey = {
      projectId: project.id,
      caller: { ...member, key: { id: row.id, scope, ...agentOf(row) }, ...(row.held && { held: row.held }) },
      expires: row.expires ?? Infinity,
      version: Number(row.v),
      change,
      settings: project.settings,
      size: secret.length + JSON.stringify(row.scope).length + 200,
    };
    this.#checked.set(secret, checked);
    return checked;
  }

  /** The request does not wait for it; if it fails, a later request tries again. */
  #recordUse(project: Project, id: string): void {
    void this.database
      .ofProject(project)
      .run(recordKeyUseStatement(project.schema, id))
      .catch(() => undefined);
  }
}

/** The last characters, by which owners recognize a key. */
const HINT_LENGTH = 4;

export function hintOf(secret: string): string {
  return secret.slice(-HINT_LENGTH);
}

/** What an agent's key may do; nothing for other keys. */
function agentOf({ agent, writes }: Pick<FoundKey, 'agent' | 'writes'>): { readonly agent?: AgentRights } {
  return agent === true ? { agent: { writes: writes === true } } : {};
}

const WINDOW_MS = 15 * 60_000;
/** Addresses in memory. */
const MOST_ADDRESSES = 10_000;

/**
 * Counts unknown API keys by the address that sent them, so that guessing costs few statements. In memory, and so for
 * each process: a secret cannot be guessed, and this only bounds the work.
 */
class FailedKeys {
  readonly #failures = lruCache<number>(MOST_ADDRESSES, { ttl: WINDOW_MS, noUpdateTTL: true });

  /** @throws KindError 429 after too many unknown keys */
  refuseTooMany(projectId: string, address: string): void {
    const source = sourceOf(projectId, address);
    if ((this.#failures.get(source) ?? 0) < ATTEMPT_LIMITS.address) return;
    const seconds = Math.ceil(this.#failures.getRemainingTTL(source) / 1000);
    throw retryLater(
      'request.throttled',
      'Too many unknown API keys; Retry-After says when to come back',
      Math.max(1, seconds),
    );
  }

  count(projectId: string, address: string): void {
    const source = sourceOf(projectId, address);
    this.#failures.set(source, (this.#failures.get(source) ?? 0) + 1);
  }
}

function sourceOf(projectId: string, address: string): string {
  return `${projectId} ${address}`;
}

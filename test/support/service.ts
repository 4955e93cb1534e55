/**
 * A service for a test file: the real application on the run's PostgreSQL, and projects of its own.
 * Projects are isolated from each other, because a project is a schema: make one per file, or per test where it matters.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino, type Logger } from 'pino';
import { inject } from 'vitest';
import { Administrators } from '../../src/auth/administrators.js';
import { SessionStore, type SessionGrant } from '../../src/auth/session/session-store.js';
import { TokenService } from '../../src/auth/session/token.service.js';
import type { FirstProject } from '../../src/before-serving.js';
import { Catalog } from '../../src/catalog/catalog.service.js';
import { CHANGE_CHANNEL } from '../../src/changes/change-notices.js';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { loadConfig, type Config } from '../../src/config/config.js';
import { HEARTBEAT_CHANNEL } from '../../src/database/listener.js';
import { startService, type Service } from '../../src/service.js';
import { ADMIN_KIND } from '../../src/model/built-in-traits.js';
import type { KindDef } from '../../src/model/model.js';
import { FOLLOWER_TABLE } from '../../src/model/table/internal-tables.js';
import type { Statement } from '../../src/sql/fragment.js';
import {
  lockCountStatement,
  repairCountStatement,
  storeCountStatement,
  takeCountsStatement,
} from '../../src/sql/count.sql.js';
import {
  feedStatement,
  forgetChangesStatement,
  forgetHistoryStatement,
  numberChangesStatement,
  vacuumOutboxStatement,
} from '../../src/sql/changes/number.sql.js';
import { recordServiceStatement } from '../../src/sql/server/registry.sql.js';
import {
  claimWorkStatement,
  planWorkStatement,
  projectsOfWorkStatement,
  releaseWorkStatement,
  wakeWorkStatement,
} from '../../src/sql/server/work.sql.js';
import { dueObjectsStatement, nextDueStatement } from '../../src/sql/file/object.sql.js';
import { findSessionStatement } from '../../src/sql/member/session.sql.js';
import type { OpenApiDocument } from '../../src/doc/openapi/openapi.js';
import { AnswerCheck, checkAnswer } from './answers.js';
import { atEnd } from './at-end.js';
import { exchange } from './exchange.js';
import { observeStatements } from './sent-statements.js';

export const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'correct horse 1' };

/** One secret for all services of a run, so that two of them can stand for two processes. */
const SECRET = 'a secret for tests, at least thirty-two characters';

const REPORT = recordServiceStatement({ id: '', host: '', pid: 0 }).text;
const CLAIM = { holder: '', type: '', names: [], except: [], busy: [] };
/** Statements of a project that the service sends on its own, with `schema` in place of the project's. */
const BACKGROUND = new Set(
  [
    findSessionStatement('schema', '', {}),
    takeCountsStatement('schema', ''),
    storeCountStatement('schema', '', ''),
    feedStatement('schema'),
    numberChangesStatement('schema'),
    vacuumOutboxStatement('schema'),
    forgetChangesStatement('schema', 30),
    forgetHistoryStatement('schema'),
    claimWorkStatement(CLAIM),
    claimWorkStatement({ ...CLAIM, now: '' }),
    claimWorkStatement({ ...CLAIM, everywhere: true }),
    planWorkStatement('', []),
    dueObjectsStatement('schema', 0),
    nextDueStatement('schema'),
    releaseWorkStatement('', '', 0),
    projectsOfWorkStatement(''),
    wakeWorkStatement('', '', []),
  ].map(({ text }) => text),
);
const COUNTED = { table: 'kind', fields: new Map() } as unknown as KindDef;
const LOCK_COUNT = lockCountStatement('schema', '').text;
/** The statement that repairs a stored number begins with the names of its tables. */
const END_OF_REPAIR = repairCountStatement('schema', COUNTED).text.slice(-40);

/** Whoever follows changes is looked for, twice a minute in all projects. */
const FOLLOWERS = `"${FOLLOWER_TABLE}"`;

/**
 * Every few seconds a service reports that it runs and tests whether it hears announcements, and soon after a write that is
 * recorded it tells others; once a second it checks whether a session is still there; after some writes it adds up the
 * stored numbers of units, and once a minute it compares them with the tables.
 */
function isPeriodic({ text, values }: Statement): boolean {
  if (text === REPORT || values[0] === HEARTBEAT_CHANNEL || values[0] === CHANGE_CHANNEL) return true;
  if (text === LOCK_COUNT || text.endsWith(END_OF_REPAIR) || text.includes(FOLLOWERS)) return true;
  return BACKGROUND.has(text.replaceAll(/"project_[\w-]+"\./g, '"schema".'));
}

interface ReplyBody {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- contents are whatever the service answers; tests look into them
  readonly content: any;
  readonly messages: {
    code: string;
    text: string;
    parameter?: string;
    index?: number;
    unit?: string;
    operation?: number;
  }[];
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The whole body, parsed; undefined where there is none. */
  readonly body: ReplyBody;
  readonly text: string;
  /** The same, as it came. */
  readonly bytes: Buffer;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}

/**
 * The service of this worker, for test files that need no service of their own: started once, without limits on
 * sign-ins, stopped when the worker ends. Test files run in it one after the other, each with projects of its own.
 */
export function sharedService(): Promise<TestService> {
  return (shared ??= startShared());
}

let shared: Promise<TestService> | undefined;

/** The functions of the shared service, as a link to the folder of the current test file; most files have none. */
export const SHARED_FUNCTIONS = join(tmpdir(), `kind-functions-of-${process.pid}`);

async function startShared(): Promise<TestService> {
  const service = await start({ authRateLimit: false, functionsDir: SHARED_FUNCTIONS });
  // Vitest ends a worker with this signal.
  process.once('SIGTERM', () => void service.stop().finally(() => process.exit()));
  return new TestService(service);
}

/** Starts a service for one test file; it stops after the file's tests. */
export async function startTestService(overrides: Partial<Config> = {}, log?: Logger): Promise<TestService> {
  const service = await start(overrides, log);
  atEnd(() => service.stop());
  return new TestService(service);
}

/** Set when a service of this worker has started. */
let prepared: FirstProject | undefined;

/**
 * Only the first service of a worker prepares registry and projects, as the primary does for processes that share a port:
 * each of the others would ask every project of the run for its version.
 */
async function start(overrides: Partial<Config>, log?: Logger): Promise<Service> {
  const config: Config = {
    ...loadConfig(
      {
        ...{ LOG_LEVEL: 'fatal', PORT: '0', DATABASE_POOL: '8', DATA_DIR: tmpdir(), FUNCTIONS_WATCH: 'off' },
        SHUTDOWN_IDLE: '0s',
      },
      tmpdir(),
    ),
    bootstrap: {
      project: 'boot',
      adminUsername: 'admin',
      adminEmail: 'admin@example.com',
      adminPassword: ADMIN.password,
    },
    files: filesOfRun(),
    ...overrides,
  };
  const logger = log ?? pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'fatal' });
  const options = { config, secret: SECRET, connection: inject('database'), logger };
  const service = await startService(prepared ? { ...options, prepared } : options);
  prepared ??= service.first;
  return service;
}

/** One folder for the contents of files of all services on the database of the run. */
export function filesOfRun(): { readonly folder: string } {
  return { folder: join(dirname(inject('initialised')), 'files') };
}

export class TestService {
  constructor(readonly service: Service) {}

  /** Makes a project with an administrator, who has a session as if signed in. */
  async project(id = `t${randomBytes(6).toString('hex')}`): Promise<TestProject> {
    const { app } = this.service;
    let session: SessionGrant | undefined;
    let adminId = '';
    const made = await app.get(Provisioning).create({ id }, async (executor, project) => {
      adminId = await app.get(Administrators).creation(ADMIN)(executor, project);
      session = await app.get(SessionStore).start(executor, project, { kindId: ADMIN_KIND, memberId: adminId });
    });
    if (!session) throw new Error(`no session in ${id}`);
    // As a sign-in does, so that the first request of a test takes as many statements as the next one.
    await app.get(Catalog).withCheckedModel({ project: made }, () => undefined);
    const { access_token } = app.get(TokenService).issue(id, ADMIN_KIND, adminId, session);
    return new TestProject(this.service, id, access_token);
  }

  /** Signs the administrator of an existing project in, through this service. */
  async signIn(id: string): Promise<TestProject> {
    const anonymous = new TestProject(this.service, id, undefined);
    const { body } = await anonymous.post('/auth/signin', { username: ADMIN.username, password: ADMIN.password });
    return new TestProject(this.service, id, body.content.access_token as string);
  }
}

/** Calls of one project, as one caller. Paths are relative to `/api/lib`. */
export class TestProject {
  constructor(
    readonly service: Service,
    readonly id: string,
    readonly token: string | undefined,
    /** The document to which its answers are held, beside the one of no project. */
    readonly document?: AnswerCheck,
  ) {}

  /** The same caller, whose answers are held to its document as it is now. */
  async documented(): Promise<TestProject> {
    const { body } = await this.get('/doc/openapi.json');
    return new TestProject(this.service, this.id, this.token, new AnswerCheck(body as unknown as OpenApiDocument));
  }

  as(token: string | undefined): TestProject {
    return new TestProject(this.service, this.id, token);
  }

  get(path: string, options?: CallOptions): Promise<Reply> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply> {
    return this.call('POST', path, body, options);
  }

  put(path: string, body?: unknown, options?: CallOptions): Promise<Reply> {
    return this.call('PUT', path, body, options);
  }

  delete(path: string, options?: CallOptions): Promise<Reply> {
    return this.call('DELETE', path, undefined, options);
  }

  /** Strings and bytes are sent as they are. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    { token = this.token, headers = {} }: CallOptions = {},
  ): Promise<Reply> {
    const isPlain = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const sent = isPlain ? body : JSON.stringify(body);
    const url = new URL(`${this.service.url}/api/lib${path}`);
    const reply = await exchange(this.service.url, {
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        'kind-project-key': this.id,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: sent,
    });
    const type = reply.headers.get('content-type');
    await checkAnswer({ ...reply, method, path: `/api/lib${path}`, type, sent }, this.document);
    return reply;
  }

  /**
   * The number of SQL statements that a call takes, without those that the service sends from time to time, and those of
   * other projects, in which it may do what follows earlier tests.
   */
  async statements(work: () => Promise<unknown>): Promise<number> {
    return (await this.sent(work)).length;
  }

  /** The statements that `statements` counts. */
  async sent(work: () => Promise<unknown>): Promise<readonly Statement[]> {
    const { database } = this.service;
    const sent: Statement[] = [];
    const stop = observeStatements(database, (statement) => {
      const [, of = this.id] = /"project_([\w-]+)"/.exec(statement.text) ?? [];
      if (of === this.id && !isPeriodic(statement)) sent.push(statement);
    });
    try {
      await work();
    } finally {
      stop();
    }
    return sent;
  }
}

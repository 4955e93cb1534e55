/** Tests of functions: a service with its own embedded PostgreSQL, which is removed at the end. */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { loadConfig, type Config } from './config/config.js';
import { isFolder } from './config/folder.js';
import { openDatabase } from './database/open-database.js';
import { PROJECT_HEADER } from './http/header-names.js';
import { startService } from './service.js';

export interface TestProjectOptions {
  /** The folder of functions, relative to the working directory. Default: `functions`. */
  readonly functions?: string;
  /** The key of the project, for functions of a single project. Default: 'test'. */
  readonly project?: string;
  /** The log level of the service, for example to see errors of functions. Default: no log. */
  readonly log?: 'error' | 'info' | 'debug';
}

interface TestAnswer {
  readonly status: number;
  readonly content: unknown;
  readonly messages: readonly { readonly code: string; readonly text: string; readonly parameter?: string }[];
}

/** A project with a signed-in administrator. */
export interface FunctionProject {
  /** Where the service listens. */
  readonly url: string;
  /** Its settings, for the commands of the command line. */
  readonly config: Config;
  /**
   * Sends a request as the administrator, with another token, or with null without one. The path is relative to
   * `/api/lib`.
   */
  call(method: string, path: string, body?: object, token?: string | null): Promise<TestAnswer>;
  /** The content of an answer. @throws Error if the status is not 200 */
  get(path: string): Promise<unknown>;
  post(path: string, body?: object): Promise<unknown>;
  /** Stops the service and removes the database. */
  stop(): Promise<void>;
}

/**
 * Starts the service, which takes a second or two. @throws Error if the folder does not exist or the start fails, after
 * cleaning up
 */
export async function openTestProject(options: TestProjectOptions = {}): Promise<FunctionProject> {
  const functions = resolve(options.functions ?? 'functions');
  if (!(await isFolder(functions))) throw new Error(`functions: got ${functions}, wants a folder that is there`);
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let last = undo.pop(); last; last = undo.pop()) await last();
  };
  try {
    return await startTestProject({ ...options, functions }, stop, (work) => void undo.push(work));
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param atEnd registers the cleanup of a step; they run in reverse order */
async function startTestProject(
  { project = 'test', log, functions }: TestProjectOptions & { readonly functions: string },
  stop: () => Promise<void>,
  atEnd: (work: () => Promise<unknown>) => void,
): Promise<FunctionProject> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const password = randomBytes(12).toString('hex');
  const config = loadConfig(
    {
      PORT: '0',
      DATA_DIR: folder,
      FUNCTIONS_DIR: functions,
      FUNCTIONS_WATCH: 'off',
      BOOTSTRAP_PROJECT: project,
      BOOTSTRAP_ADMIN_PASSWORD: password,
      NODE_ENV: 'test',
    },
    folder,
  );
  const database = await openDatabase(config, {
    role: 'service',
    log: () => undefined,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  atEnd(() => database.stop());
  const { connection } = database;
  const secret = randomBytes(32).toString('hex');
  const service = await startService({
    config,
    secret,
    connection,
    alone: true,
    logger: pino({ level: log ?? 'silent' }),
  });
  atEnd(() => service.stop());
  let own: string | null = null;
  const call = async (method: string, path: string, body?: object, token = own): Promise<TestAnswer> => {
    const response = await fetch(`${service.url}/api/lib${path}`, {
      method,
      headers: {
        [PROJECT_HEADER]: project,
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as Omit<TestAnswer, 'status'>) };
  };
  const contentOf = async (method: string, path: string, body?: object): Promise<unknown> => {
    const { status, content, messages } = await call(method, path, body);
    if (status === 200) return content;
    throw new Error(`${method} ${path}: ${status} ${messages.map(({ code, text }) => `${code}: ${text}`).join('; ')}`);
  };
  const signIn = { username: config.bootstrap.adminUsername, password };
  own = ((await contentOf('POST', '/auth/signin', signIn)) as { access_token: string }).access_token;
  return {
    url: service.url,
    config,
    call,
    get: (path) => contentOf('GET', path),
    post: (path, body) => contentOf('POST', path, body),
    stop,
  };
}

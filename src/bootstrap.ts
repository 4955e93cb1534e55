/**
 * Work before the service accepts requests: upgrades projects, finishes interrupted deletions, and creates the first
 * project on an empty database.
 */
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { accessReport, strangersWrites } from './access/report/access-report.js';
import { Administrators } from './auth/administrators.js';
import { loadModel } from './catalog/model/model-store.js';
import { Provisioning } from './catalog/project/provisioning.js';
import { ConfigError, type Config } from './config/config.js';
import { Database } from './database/database.js';
import { isStaleModel } from './database/statement/sqlstate.js';
import { FunctionRegistry } from './function/load/module-registry.js';
import type { Logger } from 'pino';
import { KindError } from './shared/errors.js';
import { lruCache } from './shared/lru-cache.js';
import { projectOf } from './tenancy/project.js';

/** The first project. `password` is set only if it has just been generated. */
export interface FirstProject {
  readonly project: string;
  readonly username: string;
  readonly password?: string;
  /** The kinds, link types and fields that strangers may write, and the functions with which they may; undefined if the project can not be served. */
  readonly strangersMayWrite?: readonly string[];
}

/** 120 random bits as text. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url');
}

/** @param signal aborts between two projects */
export async function prepareProjects(
  app: INestApplicationContext,
  config: Config,
  logger: Logger,
  signal?: AbortSignal,
): Promise<FirstProject> {
  const first = await firstProject(app, config, logger, signal);
  const strangersMayWrite = await strangersWritesIn(app, first.project);
  if (!strangersMayWrite) return first;
  const level = strangersMayWrite.length > 0 ? 'warn' : 'info';
  logger[level]({ project: first.project, kinds: strangersMayWrite }, 'kinds that strangers may write');
  return { ...first, strangersMayWrite };
}

/** Undefined if the project can not be served. */
async function strangersWritesIn(app: INestApplicationContext, id: string): Promise<string[] | undefined> {
  try {
    const row = await app.get(Provisioning).get(id);
    const model = await loadModel(app.get(Database), projectOf(row));
    return strangersWrites(accessReport(model, app.get(FunctionRegistry).current.functionsOf(id)));
  } catch (error) {
    if (error instanceof KindError || isStaleModel(error)) return undefined;
    throw error;
  }
}

/** Upgrades projects and finishes deletions; creates the first project if there is none. */
async function firstProject(
  app: INestApplicationContext,
  config: Config,
  logger: Logger,
  signal?: AbortSignal,
): Promise<FirstProject> {
  const provisioning = app.get(Provisioning);
  for (const id of await provisioning.outdated()) {
    signal?.throwIfAborted();
    logger.info({ project: id }, 'bringing a project up to date');
    await tryUpgrade(provisioning, logger, id);
  }
  for (const { id } of (await provisioning.list()).filter(({ status }) => status === 'deleting')) {
    await provisioning.delete(id);
    logger.info({ project: id }, 'interrupted deletion of a project finished');
  }
  signal?.throwIfAborted();
  const { project, adminUsername, adminEmail, adminPassword } = config.bootstrap;
  const projects = await provisioning.list();
  if (projects.length > 0)
    return {
      project: projects.some(({ id }) => id === project) ? project : (projects[0]?.id ?? project),
      username: adminUsername,
    };
  const password = adminPassword ?? generatePassword();
  try {
    await provisioning.create({ id: project }, (executor, made) =>
      app.get(Administrators).create(executor, made, { username: adminUsername, email: adminEmail, password }),
    );
  } catch (error) {
    if (error instanceof KindError && error.code === 'project.exists') {
      // Another process that started at the same time has created it, or its schema exists without a row in the
      // registry.
      if ((await provisioning.list()).some(({ id }) => id === project)) return { project, username: adminUsername };
      throw new ConfigError(`BOOTSTRAP_PROJECT: ${error.messages[0].text}`);
    }
    throw error instanceof KindError && error.status === 400 ? badBootstrap(error, config) : error;
  }
  return { project, username: adminUsername, ...(adminPassword === undefined && { password }) };
}

/** Names and passwords are validated like those of members; this names the variable that is invalid. */
function badBootstrap({ messages }: KindError, { bootstrap }: Config): ConfigError {
  const [{ parameter, text }] = messages;
  const [variable, got] =
    parameter === 'email'
      ? ['BOOTSTRAP_ADMIN_EMAIL', `'${bootstrap.adminEmail}'`]
      : parameter === 'password'
        ? ['BOOTSTRAP_ADMIN_PASSWORD', 'a value that is not shown']
        : ['BOOTSTRAP_ADMIN_USERNAME', `'${bootstrap.adminUsername}'`];
  return new ConfigError(`${variable}: got ${got}, wants another: ${text}`);
}

/** Upgrades a project; false, with a log entry, if that is refused, so that the others are still served. */
async function tryUpgrade(provisioning: Provisioning, logger: Logger, id: string): Promise<boolean> {
  try {
    const { steps, leftAlone } = await provisioning.migrate(id);
    logger.info({ project: id, steps, ...(leftAlone.length > 0 && { leftAlone }) }, 'project brought up to date');
    return true;
  } catch (error) {
    if (!(error instanceof KindError) || error.code === 'database.unavailable') throw error;
    logger.error(
      { project: id, reason: error.message },
      'project not brought up to date: npm run kind -- project migrate',
    );
    return false;
  }
}

/** Milliseconds before the upgrade of a project is tried again. */
const UPGRADE_RETRY_DELAY = 60_000;

/**
 * Upgrades a project that has become outdated while the service runs, because it was restored from a dump or changed by
 * an older release. One project at a time: a project that is found meanwhile is upgraded after a later request.
 */
export function upgradeOnDemand(provisioning: Provisioning, logger: Logger): (id: string) => void {
  const tried = lruCache<true>(10_000, { ttl: UPGRADE_RETRY_DELAY });
  let busy = false;
  return (id) => {
    if (busy || tried.has(id)) return;
    busy = true;
    tried.set(id, true);
    tryUpgrade(provisioning, logger, id)
      .then((done) => done && tried.delete(id))
      .catch((err: unknown) => logger.error({ err, project: id }, 'project not brought up to date'))
      .finally(() => (busy = false));
  };
}

/**
 * Work before the service accepts requests: upgrades of projects and interrupted deletions, as far as there is time, and
 * the first project on an empty database.
 */
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { accessReport, strangersWrites } from './access/report.js';
import { Administrators } from './auth/administrators.js';
import { loadModel } from './catalog/model/model-store.js';
import { ProjectUpgrades } from './catalog/project/project-upgrades.js';
import { Provisioning } from './catalog/project/provisioning.js';
import { ConfigError, type Config } from './config/config.js';
import { Database } from './database/database.js';
import { ProjectRepository } from './database/registry/project.repository.js';
import { causeText, isStaleModel } from './database/statement/sqlstate.js';
import { FILE_STORE } from './file/objects.js';
import type { OwnStore } from './file/own-store.js';
import { FunctionRegistry } from './function/load/module-registry.js';
import type { Logger } from 'pino';
import { KindError } from './shared/errors.js';
import { runSync } from './shared/work-in-pieces.js';
import { projectOf } from './tenancy/project.js';

/** The first project. `password` is set only if it has just been generated. */
export interface FirstProject {
  readonly project: string;
  readonly username: string;
  readonly password?: string;
  /** The kinds, link types and fields that strangers may write, and the functions with which they may; undefined if the project cannot be served. */
  readonly strangersMayWrite?: readonly string[];
}

/** Milliseconds that a start waits for upgrades and deletions; the rest is done while it serves. */
const MAINTENANCE_TIME = 5000;

/** 120 random bits as text. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url');
}

/** @param signal aborts the start between two projects */
export async function prepareProjects(
  app: INestApplicationContext,
  config: Config,
  logger: Logger,
  signal?: AbortSignal,
): Promise<FirstProject> {
  await checkStore(app, logger);
  const first = await firstProject(app, config, signal);
  const strangersMayWrite = await strangersWritesIn(app, first.project);
  if (!strangersMayWrite) return first;
  const level = strangersMayWrite.length > 0 ? 'warn' : 'info';
  logger[level]({ project: first.project, kinds: strangersMayWrite }, 'kinds that strangers may write');
  return { ...first, strangersMayWrite };
}

/** A store that does not answer is waited for while the service runs. @throws ConfigError if it is not the one of this database */
async function checkStore(app: INestApplicationContext, logger: Logger): Promise<void> {
  try {
    await app.get<OwnStore>(FILE_STORE).check();
  } catch (error) {
    if (!(error instanceof KindError) || error.code !== 'file.unavailable') throw error;
    logger.warn({ reason: causeText(error) }, 'where the contents of files are kept does not answer yet');
  }
}

/** Undefined if the project cannot be served. */
async function strangersWritesIn(app: INestApplicationContext, id: string): Promise<string[] | undefined> {
  try {
    const row = await app.get(Provisioning).get(id);
    const model = await loadModel(app.get(Database), projectOf(row));
    return strangersWrites(runSync(accessReport(model, app.get(FunctionRegistry).current.calledIn(id))));
  } catch (error) {
    if (error instanceof KindError || isStaleModel(error)) return undefined;
    throw error;
  }
}

/** Creates the first project if there is none. */
async function firstProject(
  app: INestApplicationContext,
  config: Config,
  signal: AbortSignal | undefined,
): Promise<FirstProject> {
  const provisioning = app.get(Provisioning);
  const time = AbortSignal.timeout(MAINTENANCE_TIME);
  await app.get(ProjectUpgrades).run(signal ? AbortSignal.any([signal, time]) : time);
  signal?.throwIfAborted();
  const { project, adminUsername, adminEmail, adminPassword } = config.bootstrap;
  const registry = app.get(ProjectRepository);
  const existing = await registry.oneOf(project);
  if (existing !== undefined) return { project: existing, username: adminUsername };
  const password = adminPassword ?? generatePassword();
  try {
    const administrator = app.get(Administrators).creation({ username: adminUsername, email: adminEmail, password });
    await provisioning.create({ id: project }, administrator);
  } catch (error) {
    if (error instanceof KindError && error.code === 'project.exists') {
      // Another process that started at the same time has created it, or its schema exists without a row in the
      // registry.
      if (await registry.find(project)) return { project, username: adminUsername };
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

/** What a start does before it serves: registry and projects up to date, and on a fresh database the first project. */
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Administrators } from './auth/administrators.js';
import { Provisioning } from './catalog/provisioning.js';
import { ConfigError, type Config } from './config/config.js';
import type { Logger } from 'pino';
import { KindError } from './shared/errors.js';

/** The first project; the password only where it was generated just now. */
export interface FirstProject {
  readonly project: string;
  readonly username: string;
  readonly password?: string;
}

/** Readable in a terminal, 120 bits. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url');
}

export async function prepareProjects(
  app: INestApplicationContext,
  config: Config,
  logger: Logger,
): Promise<FirstProject> {
  const provisioning = app.get(Provisioning);
  await upgradeProjects(provisioning, logger);
  for (const { id } of (await provisioning.list()).filter(({ status }) => status === 'deleting')) {
    await provisioning.delete(id);
    logger.info({ project: id }, 'interrupted deletion of a project finished');
  }
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
    // Another process that started at the same time was first.
    if (error instanceof KindError && error.code === 'project.exists') return { project, username: adminUsername };
    throw error instanceof KindError && error.status === 400 ? badBootstrap(error, config) : error;
  }
  return { project, username: adminUsername, ...(adminPassword === undefined && { password }) };
}

/** The rules of names and passwords are those of members: which variable broke one, and what it wants. */
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

/** A project that can not be upgraded is told of; the others are served all the same. */
async function upgradeProjects(provisioning: Provisioning, logger: Logger): Promise<void> {
  for (const id of await provisioning.outdated()) {
    try {
      const { steps, leftAlone } = await provisioning.migrate(id);
      logger.info({ project: id, steps, ...(leftAlone.length > 0 && { leftAlone }) }, 'project brought up to date');
    } catch (error) {
      if (!(error instanceof KindError) || error.code === 'database.unavailable') throw error;
      logger.error({ project: id, reason: error.message }, 'project not brought up to date: kind project migrate');
    }
  }
}

/** The service and the bare handler, started side by side. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Bare } from './bare-system.mjs';
import { Service } from './service.mjs';

/**
 * @typedef {Bare | Service} System
 * @typedef {Awaited<ReturnType<typeof startSystems>>} Systems
 */

/**
 * This build of the service, and others that are given. The folder of each is named like it.
 * @param {import('./run.mjs').Run} run
 * @param {import('./postgres.mjs').Postgres} postgres
 */
export async function startSystems(run, postgres) {
  const { others, profile } = run.options;
  const service = await startService(run, postgres, 'service', {
    profile: profile === undefined ? undefined : resolve(profile, 'service'),
  });
  const services = [service];
  for (const [at, dist] of others.entries()) {
    const name = `other ${at + 1}`;
    services.push(
      await startService(run, postgres, name, {
        dist: resolve(dist),
        profile: profile === undefined ? undefined : resolve(profile, name),
      }),
    );
  }
  const bare = await startBare(run, postgres, service, 'bare');
  const keepingTokens = await startBare(run, postgres, service, 'bare, tokens kept', { keepTokens: true });
  return { bare, keepingTokens, service, services };
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {string} name
 * @param {{ dist?: string, profile?: string | undefined, processes?: number, counts?: string }} [options]
 */
export async function startService(run, postgres, name, { dist = run.dist, ...options } = {}) {
  const dataDir = join(run.folder, name);
  await mkdir(dataDir);
  return run.stopAtEnd(await Service.start({ name, dist, databaseUrl: postgres.url, dataDir, ...options }));
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {Service} service whose tokens and project it takes
 * @param {string} name
 * @param {{ keepTokens?: boolean, processes?: number, counts?: string }} [options]
 */
export async function startBare(run, postgres, { headers }, name, options) {
  return run.stopAtEnd(await Bare.start({ name, databaseUrl: postgres.url, headers, ...options }));
}

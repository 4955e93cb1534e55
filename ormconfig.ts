/**
 * The registry of projects for TypeORM's command line (docs/operations.md): on DATABASE_URL, or the embedded database
 * of a running service. Creates the registry's schema, which migrations cannot create themselves.
 */
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { loadConfig } from './src/config/config.js';
import type { ConnectionOptions } from './src/database/connection/connection.js';
import { createDataSource } from './src/database/connection/data-source.js';
import { readConnectionFile } from '@kind/embedded-postgres';
import { CREATE_REGISTRY, KEEP_OFF_WORKERS } from './src/sql/server/registry.sql.js';

async function findConnection(): Promise<ConnectionOptions> {
  const { databaseUrl, databaseDirectUrl, dataDir } = loadConfig();
  if (databaseUrl !== undefined) return { url: databaseDirectUrl ?? databaseUrl };
  const running = await readConnectionFile(dataDir);
  if (!running) throw new Error(`no service runs with DATA_DIR ${dataDir}: start one, or set DATABASE_URL`);
  return running;
}

async function openRegistry(): Promise<DataSource> {
  const dataSource = createDataSource(await findConnection(), { pool: 1 });
  await dataSource.initialize();
  await dataSource.transaction(async (manager) => {
    for (const { text } of [KEEP_OFF_WORKERS, CREATE_REGISTRY]) await manager.query(text);
  });
  // TypeORM's commands open their own connection.
  await dataSource.destroy();
  return dataSource;
}

export default openRegistry();

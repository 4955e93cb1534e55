/** For TypeORM's command line: `npx typeorm migration:show -d ormconfig.ts`, with DATABASE_URL set. */
import 'reflect-metadata';
import { createDataSource } from './src/database/data-source.js';

export default createDataSource(
  { url: process.env.DATABASE_URL ?? 'postgres://localhost/kind' },
  { pool: 1, statementTimeout: 60_000 },
);

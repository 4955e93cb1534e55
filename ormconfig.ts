/**
 * For TypeORM's command line, with DATABASE_URL set:
 * `node --import ./test/support/typescript.hook.mjs node_modules/typeorm/cli.js migration:show -d ormconfig.ts`
 */
import 'reflect-metadata';
import { createDataSource } from './src/database/data-source.js';

export default createDataSource({ url: process.env.DATABASE_URL ?? 'postgres://localhost/kind' }, { pool: 1 });

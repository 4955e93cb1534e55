/** Brings the registry of projects up to date. One process at a time does it, the others wait. */
import { MigrationExecutor, type DataSource } from 'typeorm';

const LOCK = 'SELECT pg_advisory_lock(7205759403792793)';
const UNLOCK = 'SELECT pg_advisory_unlock(7205759403792793)';

export async function migrateRegistry(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(LOCK);
    await runner.query('CREATE SCHEMA IF NOT EXISTS "kind"');
    // On the connection that has the lock, because there may be no other.
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'all';
    await executor.executePendingMigrations();
  } finally {
    await runner.query(UNLOCK).catch(() => undefined);
    await runner.release();
  }
}

import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The id by which the store with the contents of files knows this database, and whether something was stored there: from
 * then on, a store without the mark is another one.
 */
export class FileStore1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "kind"."file_store" (
        "database" text NOT NULL,
        "marked" boolean NOT NULL DEFAULT false,
        "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
      )`);
    await runner.query('INSERT INTO "kind"."file_store" ("database") VALUES ($1)', [randomUUID()]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."file_store"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The timeline of PostgreSQL on which cursors of changes are valid. Another one, after a restore or a fail-over, lets them begin anew. */
export class Feed1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "kind"."feed" (
        "id" smallint PRIMARY KEY CHECK ("id" = 1),
        "timeline" bigint NOT NULL,
        "generation" text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."feed"');
  }
}

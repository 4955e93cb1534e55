import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest release that has used the database. */
export class Release1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "kind"."release" (
        "release" text NOT NULL,
        "built_in" integer NOT NULL,
        "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."release"');
  }
}

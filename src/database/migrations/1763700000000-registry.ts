import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The registry of projects. */
export class Registry1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "kind"."project" (
        "id" text PRIMARY KEY,
        "label" text NOT NULL,
        "settings" jsonb NOT NULL DEFAULT '{}',
        "status" text NOT NULL DEFAULT 'active',
        "inserted_at" timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."project"');
  }
}

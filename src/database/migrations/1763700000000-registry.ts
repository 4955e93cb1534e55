import { randomBytes } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The registry as release 0.1.0 has it: the projects, which services run, the fingerprint of the key that they sign
 * tokens with, and the newest release that has used the database.
 */
export class Registry1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "kind"."project" (
        "id" text PRIMARY KEY,
        "label" text NOT NULL,
        "settings" jsonb NOT NULL DEFAULT '{}',
        "status" text NOT NULL DEFAULT 'active',
        "unindexed" boolean NOT NULL DEFAULT false,
        "built_in" integer,
        "inserted_at" timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE "kind"."service" (
        "id" uuid PRIMARY KEY,
        "host" text NOT NULL,
        "pid" integer NOT NULL,
        "seen_at" timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE "kind"."signing" (
        "salt" text NOT NULL,
        "fingerprint" text,
        "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
      )`);
    await runner.query('INSERT INTO "kind"."signing" ("salt") VALUES ($1)', [randomBytes(16).toString('base64url')]);
    await runner.query(`
      CREATE TABLE "kind"."release" (
        "release" text NOT NULL,
        "built_in" integer NOT NULL,
        "one" boolean NOT NULL DEFAULT true PRIMARY KEY CHECK ("one")
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."release", "kind"."signing", "kind"."service", "kind"."project"');
  }
}

import { randomBytes } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which services run, and the fingerprint of the key that they sign tokens with. */
export class Presence1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "kind"."signing", "kind"."service"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A value that only the keys open with which the secrets of this database are stored; null until a service has run. */
export class SecretsCheck1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "kind"."signing" ADD COLUMN "secrets_check" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "kind"."signing" DROP COLUMN "secrets_check"');
  }
}

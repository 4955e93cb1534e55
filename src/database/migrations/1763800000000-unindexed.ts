import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which projects have indexes that are still to be built. */
export class Unindexed1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "kind"."project" ADD COLUMN "unindexed" boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "kind"."project" DROP COLUMN "unindexed"');
  }
}

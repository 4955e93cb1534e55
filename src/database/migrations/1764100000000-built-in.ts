import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of the built-in model that each project is known to have, so that a start need not ask each of them. */
export class BuiltIn1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "kind"."project" ADD COLUMN "built_in" integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "kind"."project" DROP COLUMN "built_in"');
  }
}

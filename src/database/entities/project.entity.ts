import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { MemberDemands } from '../../model/held-members.js';
import { REGISTRY_SCHEMA, schemaName } from '../../model/names.js';

/** Settings of a project that `kind project set` writes. */
export interface ProjectSettings extends MemberDemands {
  /** Sign-in with a code by mail. */
  readonly otp?: boolean;
  /** Sign-in with a mailed code in place of the password. */
  readonly mailSignIn?: boolean;
  /** Whether definitions change by model files alone; absent: they do not. */
  readonly model?: 'open' | 'locked';
  /** Where a sign-in with an identity provider may lead back to; null or absent: to the console alone. */
  readonly redirects?: readonly string[] | null;
  /** Whether schedules run; absent: they do. */
  readonly background?: boolean;
  /** Whether agents come in; true if it was never set. */
  readonly agents?: boolean;
  /** Days for which changes are kept for those who follow them; absent: 30. */
  readonly changesKeep?: number;
  /** The most requests per second; null or absent: as many as there are. */
  readonly requestsPerSecond?: number | null;
  /** The most units of user kinds; null or absent: as many as there are. */
  readonly units?: number | null;
  /** The most bytes on disk; null or absent: as many as there are. */
  readonly storage?: number | null;
  /** The sizes of pictures, as `parseImageSizes` reads them; null or absent: the four of every project. */
  readonly imageSizes?: string | null;
  /** Who sees pictures as they were uploaded; absent: all who may read them. */
  readonly originals?: 'all' | 'owner';
  /** Seconds for which the address of a file opens it; absent: an hour. */
  readonly fileUrlSeconds?: number;
}

/** A tenant in the registry. All its other data is in its own schema. */
@Entity({ name: 'project', schema: REGISTRY_SCHEMA })
export class ProjectEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'jsonb', default: {} })
  settings!: ProjectSettings;

  /** `deleting` while its tables are dropped: requests are refused, and its id is not free yet. */
  @Column({ type: 'text', default: 'active' })
  status!: 'active' | 'deleting';

  /** Whether indexes of large tables are still to be built. */
  @Column({ type: 'boolean', default: false })
  unindexed!: boolean;

  /**
   * The version of the built-in model that its tables are known to have; null: not known yet. They may have an older
   * one after a restore.
   */
  @Column({ name: 'built_in', type: 'integer', nullable: true })
  builtIn!: number | null;

  @Column({
    name: 'inserted_at',
    type: 'timestamptz',
    default: () => 'now()',
    insert: false,
    update: false,
    select: false,
  })
  insertedDate!: Date;

  /** The format of units, `2024-01-31T09:30:00.123456Z`; dates of the driver have no microseconds. */
  @VirtualColumn({
    query: (alias) => `to_char(${alias}."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  })
  insertedAt!: string;

  /** PostgreSQL's id of its schema, which a later project with the same id does not have; null without a schema. */
  @VirtualColumn({
    query: (alias) => `to_regnamespace(quote_ident('${schemaName('')}' || ${alias}."id"))::oid`,
  })
  schemaId!: number | null;
}

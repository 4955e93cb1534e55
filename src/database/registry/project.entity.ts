import { Column, Entity, PrimaryColumn } from 'typeorm';
import { REGISTRY_SCHEMA } from '../../model/names.js';

/** Settings of a project that `kind project set` writes. */
export interface ProjectSettings {
  /** Sign-in with a code by mail. */
  readonly otp?: boolean;
}

/** A tenant, as the registry knows it. Everything else of it is in its own schema. */
@Entity({ name: 'project', schema: REGISTRY_SCHEMA })
export class ProjectEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'jsonb', default: {} })
  settings!: ProjectSettings;

  /** `deleting` while its tables are being dropped: it answers no more, and its id is not free yet. */
  @Column({ type: 'text', default: 'active' })
  status!: 'active' | 'deleting';

  /** Indexes of large tables are still to be built. */
  @Column({ type: 'boolean', default: false })
  unindexed!: boolean;

  @Column({ type: 'timestamptz', name: 'inserted_at', default: () => 'now()' })
  insertedAt!: Date;
}

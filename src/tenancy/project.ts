/** A project (tenant) with what requests need of it. */
import { schemaName } from '../model/names.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';

export interface Project {
  readonly id: string;
  readonly label: string;
  readonly schema: string;
  /** PostgreSQL's id of the schema, which a later project with the same id does not have; null while it is created. */
  readonly schemaId: number | null;
  readonly settings: ProjectSettings;
  /** The key that signs addresses of its files that end at a time; left out where none are made. */
  readonly addressKey?: (expires: string) => Buffer;
}

export function projectOf({ id, label, settings, schemaId }: ProjectFields): Project {
  return { id, label, schema: schemaName(id), schemaId, settings };
}

type ProjectFields = Pick<Project, 'id' | 'label' | 'settings' | 'schemaId'>;

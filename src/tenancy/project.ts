/** A project (tenant) with what requests need of it. */
import { schemaName } from '../model/names.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';

export interface Project {
  readonly id: string;
  readonly label: string;
  readonly schema: string;
  readonly settings: ProjectSettings;
}

export function projectOf(row: { id: string; label: string; settings: ProjectSettings }): Project {
  return { id: row.id, label: row.label, schema: schemaName(row.id), settings: row.settings };
}

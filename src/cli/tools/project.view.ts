/** A project in the output of commands. */
import type { Provisioning } from '../../catalog/project/provisioning.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import type { AccessDefault } from '../../model/parameter-setting/access.setting.js';
import { byteSizeText } from '../../shared/byte-size.js';
import { projectOf } from '../../tenancy/project.js';

export interface ProjectView {
  /** The value of the header `kind-project-key`. */
  readonly key: string;
  readonly label: string;
  /** `deleting` if a deletion was interrupted; `project delete` finishes it. */
  readonly status: string;
  readonly otp: boolean;
  /** The most requests per second; `off`: no limit. */
  readonly requests_per_second: number | 'off';
  /** The most units of user kinds; `off`: no limit. */
  readonly units: number | 'off';
  /** The most that it may take on disk; `off`: no limit. */
  readonly storage: string;
  /** What a kind allows that names no access; null while the project is being deleted. */
  readonly access_default: AccessDefault | null;
  /** `being built` while indexes of large kinds are not ready. */
  readonly indexes: string;
  /** The PostgreSQL schema of the project, for example for `pg_dump -n`. */
  readonly schema: string;
  readonly inserted_at: string;
}

/** What the registry has of a project. The rest is in the tables of the project, which takes long for thousands. */
export type RegistryView = Omit<ProjectView, 'access_default'>;

export async function projectView(provisioning: Provisioning, row: ProjectRow): Promise<ProjectView> {
  return view(row, await provisioning.accessDefaults([row]));
}

export async function projectViews(provisioning: Provisioning, rows: readonly ProjectRow[]): Promise<ProjectView[]> {
  const accessDefaults = await provisioning.accessDefaults(rows);
  return rows.map((row) => view(row, accessDefaults));
}

export function registryView(row: ProjectRow): RegistryView {
  return {
    key: row.id,
    label: row.label,
    status: row.status,
    otp: row.settings.otp ?? false,
    requests_per_second: row.settings.requestsPerSecond ?? 'off',
    units: row.settings.units ?? 'off',
    storage: row.settings.storage ? byteSizeText(row.settings.storage) : 'off',
    indexes: row.unindexed ? 'being built' : 'ready',
    schema: projectOf(row).schema,
    inserted_at: row.insertedAt,
  };
}

function view(row: ProjectRow, accessDefaults: ReadonlyMap<string, AccessDefault>): ProjectView {
  return { ...registryView(row), access_default: accessDefaults.get(row.id) ?? null };
}

/** The output of commands for a project, as JSON and as text. */
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { projectOf } from '../../tenancy/project.js';
import { textTable } from './text.js';
import type { CommonOptions, Terminal } from './command-context.js';

export interface ProjectView {
  /** The value of the header `kind-project-key`. */
  readonly key: string;
  readonly label: string;
  /** `deleting` if a deletion was interrupted; `project delete` finishes it. */
  readonly status: string;
  readonly otp: boolean;
  /** `being built` while indexes of large kinds are not ready. */
  readonly indexes: string;
  /** The PostgreSQL schema of the project, for example for `pg_dump -n`. */
  readonly schema: string;
  readonly inserted_at: string;
}

export function projectView(row: ProjectRow): ProjectView {
  return {
    key: row.id,
    label: row.label,
    status: row.status,
    otp: row.settings.otp ?? false,
    indexes: row.unindexed ? 'being built' : 'ready',
    schema: projectOf(row).schema,
    inserted_at: row.insertedAt,
  };
}

/** Prints `value` as JSON with the option --json, otherwise `text`. */
export function print(terminal: Terminal, { json }: CommonOptions, value: unknown, text: string): void {
  terminal.out(json ? `${JSON.stringify(value, null, 2)}\n` : text);
}

/** One line per property. */
export function propertyTable(value: object): string {
  return textTable(Object.entries(value).map(([name, each]) => [title(name), propertyText(each)]));
}

function title(name: string): string {
  return name.replaceAll('_', ' ');
}

function propertyText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value);
}

/** What an archive of a project has, in the output of commands. Pure. */
import {
  ADMIN_KIND,
  API_KEY_KIND,
  CREDENTIAL_KIND,
  FILE_KIND,
  IDENTITY_PROVIDER_KIND,
  OWNED_KINDS,
  WEBHOOK_KIND,
} from '../../model/built-in-traits.js';
import { plural } from '../../shared/texts.js';
import type { Manifest } from '../../transfer/project/archive.js';

export interface ArchiveView {
  readonly kinds: number;
  readonly units: number;
  readonly links: number;
  readonly members: number;
}

const fileOf = (kind: string): string => `kinds/${kind}.ndjson`;
const MEMBERS = fileOf(CREDENTIAL_KIND);
/** Kinds whose units are no data of the project, but say what it does. */
const SETTINGS = [WEBHOOK_KIND, IDENTITY_PROVIDER_KIND];
/** Which users don't define. */
const BUILT_IN: readonly string[] = [MEMBERS, ...[ADMIN_KIND, ...OWNED_KINDS, ...SETTINGS].map(fileOf)];

export function archiveView({ files }: Manifest): ArchiveView {
  const recordsOf = (test: (path: string) => boolean): number =>
    files.reduce((sum, { path, records }) => sum + (test(path) ? records : 0), 0);
  // Each project has the kind of files, used or not.
  const isUsers = ({ path, records }: { path: string; records: number }) =>
    path.startsWith('kinds/') && !BUILT_IN.includes(path) && (path !== fileOf(FILE_KIND) || records > 0);
  const kinds = files.filter(isUsers);
  return {
    kinds: kinds.length,
    units: recordsOf((path) => path.startsWith('kinds/') && path !== MEMBERS && !SETTINGS.map(fileOf).includes(path)),
    links: recordsOf((path) => path.startsWith('links/')),
    members: recordsOf((path) => path === MEMBERS),
  };
}

/** How many API keys are in it. */
export function keysOf({ files }: Manifest): number {
  return files.find(({ path }) => path === fileOf(API_KEY_KIND))?.records ?? 0;
}

export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function archiveText({ kinds, units, links }: ArchiveView): string {
  return `${plural(kinds, 'kind')}, ${plural(units, 'unit')} and ${plural(links, 'link')}`;
}

/** `export <project> <folder>` and `import <project> <folder>`: a whole project, for another one that is empty. */
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import type { ArchiveFile, Manifest } from '../../transfer/project/archive.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import { ProjectImportService } from '../../transfer/project/project-import.service.js';
import { ADMIN_KIND, CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import type { Services, Terminal, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { startProgress, type Progress } from '../tools/progress.js';
import { FolderReader } from './folder.reader.js';
import { FolderWriter } from './folder.writer.js';

/** What a folder has, by the manifest. */
interface FolderView {
  readonly folder: string;
  readonly kinds: number;
  readonly units: number;
  readonly links: number;
  readonly members: number;
  readonly passwords: boolean;
}

export async function exportFolder(
  context: Services,
  id: string,
  folder: string,
  passwords: boolean,
): Promise<FolderView> {
  const row = await context.app.get(Provisioning).get(id);
  checkNotDeleted(row);
  const writer = await FolderWriter.create(folder);
  let progress: Progress | undefined;
  try {
    const manifest = await context.app.get(ProjectExportService).export(row, writer, {
      passwords,
      onStart: (total) => (progress = startProgress(id, total)),
      onProgress: (rows) => progress?.update(rows, rows),
    });
    return viewOf(folder, manifest);
  } finally {
    progress?.stop();
  }
}

export async function importFolder(context: Services, id: string, folder: string): Promise<FolderView> {
  const row = await context.app.get(Provisioning).get(id);
  checkNotDeleted(row);
  const reader = await FolderReader.open(folder);
  const { manifest } = reader;
  const total = sumOf(manifest.files, ({ bytes }) => bytes);
  let progress: Progress | undefined;
  // Each file is read twice, first to compare its checksum: there is a bar for each time.
  const show = (label: string): Progress['update'] => {
    let own: Progress | undefined;
    return (bytes, records) => {
      if (!own) {
        progress?.stop();
        progress = own = startProgress(label, total);
      }
      own.update(bytes, records);
    };
  };
  try {
    await context.app.get(ProjectImportService).import(row, reader, {
      onChecked: show(`${id}: checking`),
      onStored: show(`${id}: storing`),
    });
  } finally {
    progress?.stop();
  }
  return viewOf(folder, manifest);
}

function viewOf(folder: string, { files, passwords }: Manifest): FolderView {
  const records = (test: (path: string) => boolean): number =>
    sumOf(
      files.filter(({ path }) => test(path)),
      (file) => file.records,
    );
  const members = `kinds/${CREDENTIAL_KIND}.ndjson`;
  const ofUsers = files.filter(({ path }) => path.startsWith('kinds/') && path !== members && path !== ADMINISTRATORS);
  return {
    folder,
    kinds: ofUsers.length,
    units: records((path) => path.startsWith('kinds/') && path !== members),
    links: records((path) => path.startsWith('links/')),
    members: records((path) => path === members),
    passwords,
  };
}

const ADMINISTRATORS = `kinds/${ADMIN_KIND}.ndjson`;

function sumOf(files: readonly ArchiveFile[], value: (file: ArchiveFile) => number): number {
  return files.reduce((sum, file) => sum + value(file), 0);
}

export function printFolder(terminal: Terminal, options: CommonOptions, view: FolderView, how: 'to' | 'from'): void {
  const { kinds, units, links, members, passwords, folder } = view;
  const text = `${plural(kinds, 'kind')}, ${plural(units, 'unit')} and ${plural(links, 'link')} ${how} ${folder}\n`;
  const without = how === 'to' ? 'Passwords are not in it: members' : 'Passwords were not exported: members';
  const note =
    members === 0 || passwords ? '' : `${without} get a new one by password recovery, or by: member set-password\n`;
  print(terminal, options, view, text + note);
}

function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

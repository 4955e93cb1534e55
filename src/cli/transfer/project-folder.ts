/** `export <project> <folder>` and `import <project> <folder>`: a whole project, for another one that is empty. */
import { Provisioning } from '../../catalog/project/provisioning.js';
import type { Manifest } from '../../transfer/project/archive.js';
import { ArchiveReader } from '../../transfer/project/archive.reader.js';
import { EntryWriter } from '../../transfer/project/archive.writer.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import { ProjectImportService, type SecretChoices } from '../../transfer/project/project-import.service.js';
import type { Services, Terminal, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { ProgressBars } from '../tools/progress.js';
import { archiveText, archiveView, bytesOf, type ArchiveView } from './archive.view.js';
import { FolderSink, FolderSource } from './archive-folder.js';

interface FolderView extends ArchiveView {
  readonly folder: string;
  readonly passwords: boolean;
}

export async function exportFolder(
  context: Services,
  id: string,
  folder: string,
  passwords: boolean,
): Promise<FolderView> {
  const row = await context.app.get(Provisioning).getActive(id);
  const writer = new EntryWriter(await FolderSink.create(folder));
  const bars = new ProgressBars();
  try {
    const manifest = await context.app.get(ProjectExportService).export(row, writer, {
      passwords,
      onStart: (total) => bars.start(id, total),
      onProgress: (rows) => bars.update(rows, rows),
    });
    return viewOf(folder, manifest);
  } finally {
    bars.stop();
  }
}

export async function importFolder(
  context: Services,
  id: string,
  folder: string,
  secrets: SecretChoices,
): Promise<FolderView> {
  const row = await context.app.get(Provisioning).getActive(id);
  const source = await FolderSource.open(folder);
  const { manifest } = source;
  const total = bytesOf(manifest);
  const bars = new ProgressBars();
  try {
    // Each file is read twice, first to compare its checksum.
    const reader = await ArchiveReader.open(source, bars.next(`${id}: checking`, total));
    const onStored = bars.next(`${id}: storing`, total);
    await context.app.get(ProjectImportService).import(row, reader, onStored, secrets);
  } finally {
    bars.stop();
  }
  return viewOf(folder, manifest);
}

function viewOf(folder: string, manifest: Manifest): FolderView {
  return { folder, ...archiveView(manifest), passwords: manifest.passwords };
}

export function printFolder(terminal: Terminal, options: CommonOptions, view: FolderView, how: 'to' | 'from'): void {
  const { members, passwords, folder } = view;
  const text = `${archiveText(view)} ${how} ${folder}\n`;
  const without = how === 'to' ? 'Passwords are not in it: members' : 'Passwords were not exported: members';
  const note =
    members === 0 || passwords ? '' : `${without} get a new one by password recovery, or by: member set-password\n`;
  print(terminal, options, view, text + note + (how === 'from' ? backgroundNote('off', '<project>') : ''));
}

/** Empty if something runs by itself in a project that was imported or restored. */
export function backgroundNote(background: 'on' | 'off', project: string): string {
  return background === 'on' ? '' : `Nothing runs by itself in it yet: project set ${project} background=on\n`;
}

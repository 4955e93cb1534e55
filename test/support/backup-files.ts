/** Backups as tests read and forge them: the files in one, and the same backup with others. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { withEnds } from '../../src/cli/transfer/backup-ends.js';

export type Parts = ReadonlyMap<string, string>;

/** Of a file in an archive. */
export interface TarHeader {
  readonly name: string;
  readonly type?: 'symlink' | 'character-device';
  readonly linkname?: string;
  readonly pax?: Readonly<Record<string, string>>;
}

/** The files in a backup by their names, in order. */
export async function partsOf(file: string): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  for await (const entry of Readable.from([gunzipSync(readFileSync(file))]).pipe(extract())) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    parts.set(entry.header.name, Buffer.concat(pieces).toString());
  }
  return parts;
}

/** The times that unpacking gives to the files in a backup. */
export async function timesOf(file: string): Promise<string[]> {
  const times = new Set<string>();
  for await (const entry of Readable.from([gunzipSync(readFileSync(file))]).pipe(extract())) {
    times.add(entry.header.mtime?.toISOString() ?? '');
    entry.resume();
  }
  return [...times];
}

/** The lines of each kind, with the parts of a kind put together. */
export async function contentsOf(file: string): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const [name, text] of await partsOf(file)) {
    const path = name.replace(/\/\d+\.ndjson$/, '.ndjson');
    contents.set(path, (contents.get(path) ?? '') + text);
  }
  return contents;
}

/** The JSON at the beginning of a backup. */
export function headerOf(file: string): Record<string, unknown> {
  const bytes = readFileSync(file);
  return JSON.parse(bytes.subarray(10, bytes.indexOf(0, 10)).toString()) as Record<string, unknown>;
}

/** Writes a backup whose ends fit these files, whatever they are. @param first a header of tar before all of them */
export async function writeBackup(file: string, header: object, parts: Parts, first?: TarHeader): Promise<void> {
  const packed = pack();
  if (first) packed.entry(first, Buffer.alloc(0), () => undefined);
  for (const [name, text] of parts) packed.entry({ name }, Buffer.from(text), () => undefined);
  packed.finalize();
  const tar: Buffer[] = [];
  for await (const piece of packed) tar.push(piece);
  const whole: Buffer[] = [];
  const body = Readable.from([gzipSync(Buffer.concat(tar))]) as AsyncIterable<Buffer>;
  for await (const piece of withEnds(JSON.stringify(header), body)) whole.push(piece);
  writeFileSync(file, Buffer.concat(whole));
}

/** The parts with a manifest that fits them, changed as wanted. */
export function withManifest(parts: Parts, change: (manifest: Record<string, unknown>) => object): Parts {
  const manifest = JSON.parse(parts.get('manifest.json') ?? '{}') as Record<string, unknown>;
  const files = new Map<string, string>();
  for (const [name, text] of parts) {
    const path = name.replace(/\/\d+\.ndjson$/, '.ndjson');
    if (path !== name) files.set(path, (files.get(path) ?? '') + text);
  }
  const listed = (manifest['files'] as { path: string }[])
    .map(({ path }) => path)
    .map((path) => {
      const bytes = Buffer.from(files.get(path) ?? '');
      return { path, records: bytes.toString().split('\n').length - 1, bytes: bytes.length, sha256: sha256(bytes) };
    });
  delete manifest['sha256'];
  const changed = change({ ...manifest, files: listed });
  const sorted = Object.entries(changed).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map([
    ...[...parts].filter(([name]) => name !== 'manifest.json'),
    ['manifest.json', JSON.stringify({ ...changed, sha256: sha256(JSON.stringify(sorted)) })],
  ]);
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

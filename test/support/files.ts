/** Contents of files: how they are sent, and what the store of a service has. */
import type { FileStore } from '../../src/file/store/file-store.js';
import { FILE_STORE } from '../../src/file/objects.js';
import { defineKinds } from './callers.js';
import { query } from './definitions.js';
import type { Reply, TestProject } from './service.js';

type Headers = Record<string, string>;

/** Uploads a content as the body of a request. */
export function upload(
  project: TestProject,
  name: string,
  content: string | Buffer = 'a',
  headers: Headers = { 'content-type': 'text/plain' },
): Promise<Reply> {
  return project.call('POST', `/file/unit?name=${encodeURIComponent(name)}`, content, { headers });
}

/** A part of a form: a field, or a file if it has a name. */
export interface Part {
  readonly field: string;
  readonly value: string;
  readonly filename?: string;
  readonly type?: string;
}

export const BOUNDARY = 'boundary';
export const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** @param end what stands after the last part */
export function formOf(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): string {
  const texts = parts.map(({ field, value, filename, type }) => {
    const name = filename === undefined ? '' : `; filename="${filename}"`;
    const head = `Content-Disposition: form-data; name="${field}"${name}`;
    return `--${BOUNDARY}\r\n${head}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n${value}\r\n`;
  });
  return texts.join('') + end;
}

interface Stored {
  readonly files: number;
  /** The bytes that are counted of them. */
  readonly bytes: number;
  /** Those of files, and those that no file has yet or any more. */
  readonly objects: number;
  /** Keys of those that no file has. */
  readonly unused: number;
}

export async function stored(project: TestProject): Promise<Stored> {
  const [row] = await query<Omit<Stored, 'objects'>>(
    project,
    `SELECT (SELECT count(*)::int FROM $schema.file) AS files, bytes::int,
      (SELECT count(*)::int FROM $schema."_unused_object") AS unused FROM $schema."_files"`,
  );
  const store = project.service.app.get<FileStore>(FILE_STORE);
  const keys: string[] = [];
  for await (const { key } of store.list(`${project.id}/`)) keys.push(key);
  return { files: row?.files ?? 0, bytes: row?.bytes ?? 0, objects: keys.length, unused: row?.unused ?? 0 };
}

/** Makes of a project one that had a kind `file` before there were files, as an older release left it. */
export async function withOwnFileKind(project: TestProject): Promise<TestProject> {
  const access = { create: 'member', read: 'anyone' };
  await defineKinds(project, { id: 'paper', access, parameters: [{ id: 'title', kind_id: 'string', unique: true }] });
  await query(project, 'DROP TABLE $schema.file');
  await query(project, 'ALTER TABLE $schema.paper RENAME TO file');
  await query(project, `DELETE FROM $schema.kind WHERE id = 'file'`);
  await query(project, `UPDATE $schema.kind SET id = 'file' WHERE id = 'paper'`);
  await query(project, 'UPDATE $schema."_model" SET version = version + 1');
  return project;
}

/** Files and their contents (docs/files.md). All functions throw `ApiError`. */
import type { Connection } from '../../../packages/client/connection.js';
import { discardParts, inParts } from '../../../packages/client/parts.js';
import { contentEtag } from '../../../src/file/content/content-etag.js';
import { TUS } from '../../../src/http/header-names.js';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { BASE, tellProgress } from './client.js';
import { PART_BYTES, typeOf, type Begun, type Sending } from './sending.js';
import { session } from './session.js';
import type { Unit } from './types.js';
import { getUnit, getUnits } from './units.js';

/** What the console reads of a file. */
export interface FileUnit extends Unit {
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** Null for those who see pictures in sizes alone. */
  readonly sha256: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** What is needed to show a file: its address opens it without a header. */
export interface ShownFile extends Pick<FileUnit, 'id' | 'name' | 'media_type' | 'bytes'> {
  /** Null if the service makes none. */
  readonly url: string | null;
}

/** The first parts of the path of a file. */
const UNIT_PATH = [FILE_KIND, 'unit'];

export async function uploadFile(content: File, begun: Begun, sending: Sending): Promise<FileUnit> {
  if (content.size > PART_BYTES) {
    const metadata = { filename: content.name, filetype: typeOf(content) };
    return getFile(await inParts(partsOf(content, sending), content, metadata, { signal: sending.signal }, begun));
  }
  const { signal, onProgress } = sending;
  const reply = await session.call<FileUnit>({
    method: 'POST',
    path: UNIT_PATH,
    query: { name: content.name },
    file: { content, type: typeOf(content), onProgress },
    signal,
  });
  return reply.content;
}

/** Sends parts, and tells how much of the whole was sent. */
function partsOf({ size }: File, { onProgress }: Sending): Pick<Connection, 'send'> {
  return {
    send: (sent) => {
      const { body, headers = {} } = sent;
      if (body instanceof Blob) {
        const offset = Number(headers[TUS.offset]);
        tellProgress(body, (part) => onProgress((offset + part * body.size) / size));
      }
      return session.send(sent);
    },
  };
}

/** Removes what is stored of an upload that failed and is not tried again. */
export function discardUpload(begun: Begun): Promise<void> {
  return discardParts(session, begun);
}

export async function getFile(id: string): Promise<FileUnit> {
  return asFile(await getUnit(FILE_KIND, id));
}

/** A unit of the kind of files. */
export function asFile(unit: Unit): FileUnit {
  return unit as FileUnit;
}

/** Gives a file another content, unless it has been given one since it was read. */
export async function replaceContent(
  { id, sha256 }: Pick<FileUnit, 'id' | 'sha256'>,
  content: File,
  { onProgress, signal }: Sending,
): Promise<FileUnit> {
  const reply = await session.call<FileUnit>({
    method: 'PUT',
    path: [...UNIT_PATH, id, 'content'],
    file: { content, type: typeOf(content), onProgress },
    ...(sha256 !== null && { headers: { 'if-match': contentEtag({ sha256 }) } }),
    signal,
  });
  return reply.content;
}

export interface FileAddress {
  readonly url: string;
  readonly expires_at: string;
}

/** Makes an address that opens the content of a file for whoever has it. */
export async function makeAddress(id: string, seconds?: number): Promise<FileAddress> {
  const { content } = await session.call<FileAddress>({
    method: 'POST',
    path: [...UNIT_PATH, id, 'url'],
    body: seconds === undefined ? {} : { seconds },
  });
  return { ...content, url: absolute(content.url) };
}

/** The first bytes of a content, as text. */
export async function readText(id: string, bytes: number, signal: AbortSignal): Promise<string> {
  const path = [...UNIT_PATH, id, 'content'];
  const answer = await session.open({ path, headers: { range: `bytes=0-${bytes - 1}` }, signal });
  return answer.text();
}

/** What is needed to show files; those that are gone, or that the member may not read, are left out. */
export async function getShownFiles(ids: readonly string[]): Promise<readonly ShownFile[]> {
  const files = (await getUnits(FILE_KIND, ids, ['id', 'name', 'media_type', 'bytes', 'url'])) as readonly ReadFile[];
  return files.map((file) => ({ ...file, url: file.url === null ? null : absolute(file.url) }));
}

type ReadFile = Unit & ShownFile;

/** The service does not know the path that a proxy may have put in front of it. */
function absolute(url: string): string {
  return new URL(url.replace(/^\/api\/lib\//, ''), BASE).href;
}

/** @param address of `makeAddress` */
export function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** A store says in an object to which database it belongs, so that a service does not start with another one. */
import type { Readable } from 'node:stream';
import { ConfigError } from '../../config/config.js';
import { asContent, type FileStore } from './file-store.js';

const MARKER = 'kind-files.json';
/** Bytes of a marker; what is longer is none. */
const LONGEST = 1000;

/**
 * Marks a new store as that of the database, or checks whether it is. Services of one database may do so at the same time.
 * @param used whether the database has stored something: then a store without a mark is another one, such as a folder on
 *   a disk that is not mounted
 * @throws ConfigError with one line; KindError 503 if the store does not answer
 */
export async function claimStore(store: FileStore, databaseId: string, used: boolean): Promise<void> {
  const found = await readMarker(store);
  if (found === undefined) {
    if (used) throw wrongStore(`has no ${MARKER}, so that it is not the one with the contents of this database`);
    await store.put(MARKER, asContent(Buffer.from(`${JSON.stringify({ database: databaseId })}\n`)));
  }
  // Read again, because a service of another database may have done the same.
  const marked = found ?? (await readMarker(store));
  if (marked !== databaseId) throw wrongStore(`belongs to another database, as its ${MARKER} says`);
}

function wrongStore(what: string): ConfigError {
  return new ConfigError(`FILES_URL: the folder or bucket ${what}`);
}

/** The id of a database; empty if the marker has none. */
async function readMarker(store: FileStore): Promise<string | undefined> {
  const stream = await store.get(MARKER);
  return stream && idIn(await textOf(stream));
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function idIn(text: string): string {
  try {
    const { database } = JSON.parse(text) as { readonly database?: unknown };
    return typeof database === 'string' ? database : '';
  } catch {
    return '';
  }
}

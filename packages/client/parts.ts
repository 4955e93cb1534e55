/** Uploads in parts, by tus 1.0.0 (docs/files.md#resumable-uploads): what a broken connection has brought is not sent again. */
import { KindError } from './call.js';
import { pause, type Connection } from './connection.js';

export const PART_BYTES = 8 * 1024 * 1024;
const PATH = ['file', 'upload'];
const TUS = { 'tus-resumable': '1.0.0' } as const;
/** Tries in a row without a new byte, and the time before the first of them; each waits twice as long, up to the most. */
const TRIES = { most: 10, firstMs: 500, mostMs: 15_000 } as const;

type Sending = Pick<Connection, 'send'>;

/** An upload that has begun: another try goes on where it was. */
export interface Begun {
  id?: string;
}

interface Place {
  readonly sent: number;
  /** The id of the file, when all is there. */
  readonly file: string | null;
}

interface PartsOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly sent: number; readonly total: number }) => void) | undefined;
}

/** Answers the id of the file. @param begun by an earlier try; it keeps the upload for the next one */
export async function inParts(
  connection: Sending,
  content: Blob,
  metadata: Readonly<Record<string, string>>,
  options: PartsOptions,
  begun: Begun = {},
): Promise<string> {
  const { signal } = options;
  try {
    if (begun.id === undefined) {
      const told = Object.entries(metadata).map(([name, value]) => `${name} ${base64(value)}`);
      const headers = { ...TUS, 'upload-length': String(content.size), 'upload-metadata': told.join() };
      const begin = await connection.send({ method: 'POST', path: PATH, headers, codes: [], signal });
      begun.id = begin.headers.get('location')?.split('/').pop() ?? '';
    }
    const file = await sendParts(connection, content, begun.id, options);
    delete begun.id;
    return file;
  } catch (error) {
    if (signal?.aborted || !mayGoOn(error)) await discardParts(connection, begun);
    throw error;
  }
}

async function sendParts(
  connection: Sending,
  content: Blob,
  id: string,
  { signal, onProgress }: PartsOptions,
): Promise<string> {
  const send = async (method: string, more: object = {}, body?: Blob): Promise<Place> => {
    const sent = { method, path: [...PATH, id], headers: { ...TUS, ...more }, body, codes: [], signal };
    const { headers } = await connection.send(sent);
    return { sent: Number(headers.get('upload-offset')), file: headers.get('kind-file') };
  };
  let place = await send('HEAD');
  for (let tries = 0; place.file === null;) {
    const { sent } = place;
    onProgress?.({ sent, total: content.size });
    try {
      const headers = { 'upload-offset': String(sent), 'content-type': 'application/offset+octet-stream' };
      place = await send('PATCH', headers, content.slice(sent, sent + PART_BYTES));
    } catch (error) {
      if (!mayGoOn(error) || tries === TRIES.most) throw error;
      await pause(Math.min(TRIES.firstMs * 2 ** tries, TRIES.mostMs), signal);
      tries += 1;
      place = await send('HEAD').catch(() => place);
    }
    if (place.sent > sent) tries = 0;
  }
  return place.file;
}

/** Of an upload that is not gone on with: its parts would count for the storage of the project. */
export async function discardParts(connection: Sending, begun: Begun): Promise<void> {
  if (begun.id === undefined) return;
  const sent = { method: 'DELETE', path: [...PATH, begun.id], headers: TUS, codes: [] };
  delete begun.id;
  await connection.send(sent).catch(() => undefined);
}

/** No connection, a service that is busy, and an upload that another request has or moved. */
function mayGoOn(error: unknown): boolean {
  if (!(error instanceof KindError)) return false;
  const { status, code } = error;
  return status === 0 || status === 423 || status === 429 || status >= 500 || code === 'file.wrong_offset';
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

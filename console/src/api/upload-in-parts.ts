/** Resumable uploads by tus 1.0.0 (docs/files.md#resumable-uploads): what a broken connection has brought is not sent again. */
import { FILE_HEADER, TUS } from '../../../src/http/header-names.js';
import { ApiError, OfflineError } from './errors.js';
import { PART_BYTES, typeOf, type Begun, type Sending } from './sending.js';
import { session } from './session.js';

const VERSION = { [TUS.version]: '1.0.0' };
const PATH = ['file', 'upload'];
const PART_TYPE = 'application/offset+octet-stream';
/** Tries in a row without a new byte, and the time before the first of them; each waits twice as long, up to the most. */
const [MOST_TRIES, FIRST_MS, MOST_MS] = [10, 500, 15_000];

/** Answers the id of the file. @param begun of an earlier try; it keeps the address of the upload for the next one */
export async function uploadInParts(content: File, begun: Begun, sending: Sending): Promise<string> {
  begun.id ??= await begin(content, sending);
  try {
    const file = await sendParts(content, begun.id, sending);
    delete begun.id;
    return file;
  } catch (error) {
    if (sending.signal.aborted || !isPassing(error)) await discardParts(begun);
    throw error;
  }
}

/** Of an upload that is not gone on with: its parts would count for the storage of the project. */
export async function discardParts(begun: Begun): Promise<void> {
  const { id } = begun;
  if (id === undefined) return;
  await session.open({ method: 'DELETE', path: [...PATH, id], headers: VERSION }).catch(() => undefined);
  delete begun.id;
}

async function begin(content: File, { signal }: Sending): Promise<string> {
  const metadata = Object.entries({ filename: content.name, filetype: typeOf(content) });
  const answer = await session.open({
    method: 'POST',
    path: PATH,
    headers: {
      ...VERSION,
      [TUS.length]: String(content.size),
      [TUS.metadata]: metadata.map(([name, value]) => `${name} ${base64(value)}`).join(),
    },
    signal,
  });
  return answer.headers.get('location')?.split('/').at(-1) ?? '';
}

async function sendParts(content: File, id: string, sending: Sending): Promise<string> {
  let told = await offsetOf(id, sending);
  for (let tries = 0; ;) {
    const { file, offset } = told;
    if (file !== null) return file;
    try {
      told = await sendPart(content, id, offset, sending);
    } catch (error) {
      if (sending.signal.aborted || !isPassing(error) || tries === MOST_TRIES) throw error;
      await pause(Math.min(FIRST_MS * 2 ** tries, MOST_MS), sending.signal);
      tries += 1;
      told = await offsetOf(id, sending).catch(() => told);
    }
    if (told.offset > offset) tries = 0;
  }
}

interface Told {
  readonly offset: number;
  /** The id of the file, when all is there. */
  readonly file: string | null;
}

async function offsetOf(id: string, { signal }: Sending): Promise<Told> {
  return toldBy(await session.open({ method: 'HEAD', path: [...PATH, id], headers: VERSION, signal }));
}

async function sendPart(content: File, id: string, offset: number, { onProgress, signal }: Sending): Promise<Told> {
  const part = content.slice(offset, offset + PART_BYTES);
  const answer = await session.open({
    method: 'PATCH',
    path: [...PATH, id],
    headers: { ...VERSION, [TUS.offset]: String(offset) },
    file: {
      content: part,
      type: PART_TYPE,
      onProgress: (sent) => onProgress((offset + sent * part.size) / content.size),
    },
    signal,
  });
  return toldBy(answer);
}

function toldBy({ headers }: Response): Told {
  return { offset: Number(headers.get(TUS.offset)), file: headers.get(FILE_HEADER) };
}

/** Whether another try may succeed: no connection, a service that is busy, an upload that another request has or moved. */
function isPassing(error: unknown): boolean {
  if (error instanceof OfflineError) return true;
  if (!(error instanceof ApiError)) return false;
  const { status } = error;
  return status >= 500 || status === 423 || status === 429 || error.has('file.wrong_offset');
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    });
  });
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

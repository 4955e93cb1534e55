/**
 * Keeps objects in a bucket. A content of up to a part is one request, a larger one an upload of several parts, which is
 * aborted if it fails; the object appears when it is completed.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BucketAddress } from '../../config/store-address.js';
import { KindError } from '../../shared/errors.js';
import { inParts } from '../../shared/in-parts.js';
import { LIMITS } from '../../shared/limits.js';
import { ContentParts, type ContentPart } from './content-parts.js';
import {
  checkKey,
  checkPrefix,
  isKey,
  unavailable,
  type ByteRange,
  type FileStore,
  type StoredObject,
} from './file-store.js';
import { S3Client, S3Error, type S3Request } from './s3-client.js';
import { childrenOf, textOf, type XmlElement } from './xml.js';

/** An upload of several parts. */
interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** Seconds to abort an upload that has failed, for which its request waits. */
const ABORT_SECONDS = 5;

export class S3Store implements FileStore {
  readonly #client: S3Client;
  readonly #parts: ContentParts;

  /** @param pause milliseconds before a request is tried again the first time */
  constructor(
    private readonly address: BucketAddress,
    pause?: number,
  ) {
    this.#client = new S3Client(address, pause);
    this.#parts = new ContentParts(!this.#client.secure);
  }

  async put(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const [owner = ''] = checkKey(key).split('/');
    let upload: Upload | undefined;
    const etags: string[] = [];
    let bytes = 0;
    try {
      for await (const part of this.#parts.of(content, owner)) {
        if (!upload && part.bytes < LIMITS.storePart) {
          await asked(() => this.#client.done({ method: 'PUT', key, body: part }));
          return;
        }
        upload ??= await asked(() => this.#begin(key));
        const { uploadId } = upload;
        etags.push(await asked(() => this.#putPart({ key, uploadId }, etags.length + 1, part)));
        bytes += part.bytes;
      }
      const complete = upload;
      if (complete) await asked(() => this.#complete(complete, etags, bytes));
    } catch (error) {
      if (upload) await this.#abort(upload).catch(() => undefined);
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const headers = range && { range: `bytes=${range.first}-${range.last}` };
    const request: S3Request = { method: 'GET', key: checkKey(key), ...(headers && { headers }) };
    return asked(() =>
      ifThere('NoSuchKey', async () => {
        const answer = await this.#client.send(request, (got) => got);
        if (!range || isPartFrom(answer, range.first)) return bodyOf(answer);
        answer.destroy();
        throw new Error('another range was answered');
      }),
    );
  }

  async head(key: string): Promise<number | undefined> {
    const request: S3Request = { method: 'HEAD', key: checkKey(key) };
    return asked(() =>
      ifThere('', async () => {
        const { 'content-length': length } = await this.#client.done(request);
        return wholeNumber(length);
      }),
    );
  }

  async delete(keys: readonly string[]): Promise<void> {
    await inParts(keys.map(checkKey), (key) =>
      asked(() => ifThere('NoSuchKey', () => this.#client.done({ method: 'DELETE', key }))),
    );
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const query = { 'list-type': '2', prefix: `${this.address.prefix}${checkPrefix(prefix)}` };
    for await (const page of this.#pages(query, 'ListBucketResult', {
      'continuation-token': 'NextContinuationToken',
    })) {
      for (const element of childrenOf(page, 'Contents')) {
        const key = this.#keyIn(element);
        const storedAt = dateIn(element, 'LastModified');
        if (isKey(key)) yield { key, bytes: wholeNumber(textOf(element, 'Size')), storedAt };
      }
    }
  }

  async removeUnfinished(before: Date): Promise<void> {
    const query = { uploads: '', prefix: this.address.prefix };
    const markers = { 'key-marker': 'NextKeyMarker', 'upload-id-marker': 'NextUploadIdMarker' };
    for await (const page of this.#pages(query, 'ListMultipartUploadsResult', markers)) {
      for (const element of childrenOf(page, 'Upload')) {
        const upload = { key: this.#keyIn(element), uploadId: required(textOf(element, 'UploadId')) };
        if (isKey(upload.key) && dateIn(element, 'Initiated') < before) await asked(() => this.#abort(upload));
      }
    }
  }

  async #begin(key: string): Promise<Upload> {
    const root = await this.#client.xml(
      { method: 'POST', key, query: { uploads: '' }, body: '' },
      'InitiateMultipartUploadResult',
    );
    return { key, uploadId: required(textOf(root, 'UploadId')) };
  }

  /** Returns its ETag. */
  async #putPart({ key, uploadId }: Upload, number: number, body: ContentPart): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const { etag } = await this.#client.done({ method: 'PUT', key, query, body });
    return required(etag);
  }

  async #complete({ key, uploadId }: Upload, etags: readonly string[], bytes: number): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    try {
      await this.#client.xml({ method: 'POST', key, query: { uploadId }, body }, 'CompleteMultipartUploadResult');
    } catch (error) {
      // The answer to an attempt that succeeded may have been lost.
      const isDone = error instanceof S3Error && error.code === 'NoSuchUpload' && (await this.head(key)) === bytes;
      if (!isDone) throw error;
    }
  }

  async #abort({ key, uploadId }: Upload): Promise<void> {
    const request = { method: 'DELETE', key, query: { uploadId }, seconds: ABORT_SECONDS } as const;
    await ifThere('NoSuchUpload', () => this.#client.done(request));
  }

  /** @param markers parameters of the query for the next page, and the names of their values in the page */
  async *#pages(
    query: Readonly<Record<string, string>>,
    name: string,
    markers: Readonly<Record<string, string>>,
  ): AsyncIterable<XmlElement> {
    let from: Record<string, string> | undefined = {};
    while (from) {
      const request: S3Request = { method: 'GET', query: { ...query, ...from } };
      const page = await asked(() => this.#client.xml(request, name));
      yield page;
      const next = Object.entries(markers).map(([parameter, element]) => [parameter, textOf(page, element)] as const);
      from =
        textOf(page, 'IsTruncated') === 'true' ? Object.fromEntries(next.map(([a, b]) => [a, required(b)])) : undefined;
    }
  }

  #keyIn(element: XmlElement): string {
    const key = required(textOf(element, 'Key'));
    if (!key.startsWith(this.address.prefix)) throw unavailable(new Error('a key outside the prefix was answered'));
    return key.slice(this.address.prefix.length);
  }
}

/** @throws KindError in place of errors of the connection and of answers */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KindError ? error : unavailable(error);
  }
}

/** @param code says what is not there: a bucket that is not there is a failure. Answers to HEAD have none */
async function ifThere<T>(code: 'NoSuchKey' | 'NoSuchUpload' | '', work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof S3Error && error.status === 404 && error.code === code) return undefined;
    throw error;
  }
}

/**
 * The bytes of an answer. What is cut off, or does not come in time, ends the stream with an error; the time that its
 * reader takes does not count.
 */
function bodyOf(answer: IncomingMessage): Readable {
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const late = (): unknown => answer.destroy(new Error('the rest of an object did not come in time'));
  return new Readable({
    read() {
      const timer = setTimeout(late, LIMITS.storeSeconds * 1000);
      const pushed = chunks.next().then(
        (next) => this.push(next.done === true ? null : next.value),
        (error: unknown) => this.destroy(unavailable(error)),
      );
      void pushed.finally(() => clearTimeout(timer));
    },
    destroy(error, callback) {
      answer.destroy();
      callback(error);
    },
  });
}

function isPartFrom({ statusCode, headers }: IncomingMessage, first: number): boolean {
  return statusCode === 206 && headers['content-range']?.startsWith(`bytes ${first}-`) === true;
}

function dateIn(element: XmlElement, name: string): Date {
  const date = new Date(required(textOf(element, name)));
  if (Number.isNaN(date.getTime())) throw unavailable(new SyntaxError('an answer has no time where one has to be'));
  return date;
}

function wholeNumber(text: string | undefined): number {
  const found = required(text);
  if (!/^\d{1,15}$/.test(found)) throw unavailable(new SyntaxError('an answer has no number where one has to be'));
  return Number(found);
}

function required(text: string | undefined): string {
  if (text === undefined || text === '') throw unavailable(new SyntaxError('an answer lacks something'));
  return text;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

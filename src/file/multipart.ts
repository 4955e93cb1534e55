/** A form with a file: its field `values`, then one file. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { KindError, refusal } from '../shared/errors.js';

interface FormFile {
  /** The field `values`, as it came. */
  readonly values: string | undefined;
  readonly name: string | undefined;
  readonly claimed: string | undefined;
  /** Throws where the form is malformed, also after the file. */
  readonly content: AsyncIterable<Uint8Array>;
}

const VALUES = 'values';
const FILE = 'file';

export function isMultipart(contentType: string | undefined): contentType is string {
  return /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');
}

/**
 * Reads a form up to its file, whose bytes are then taken from `content`.
 * @param most bytes of the field `values` @throws KindError 400
 */
export async function formFile(body: AsyncIterable<Uint8Array>, contentType: string, most: number): Promise<FormFile> {
  const source = Readable.from(body, { objectMode: false });
  const parser = newParser(contentType, most);
  let values: string | undefined;
  let hasFile = false;
  const ended = new Promise<void>((resolve, reject) => {
    const fail = (text: string): void => {
      reject(malformed(text));
      parser.destroy();
    };
    parser
      .on('field', (field: string, value: string, _: boolean, valueTruncated: boolean) => {
        if (field !== VALUES) fail(`it has a field '${field.slice(0, 60)}': it has '${VALUES}' and '${FILE}'`);
        else if (hasFile) fail(`'${VALUES}' stands before the file`);
        else if (valueTruncated) fail(`'${VALUES}' has at most ${most} bytes`);
        else values = value;
      })
      .on('fieldsLimit', () => fail(`it has one field '${VALUES}'`))
      .on('filesLimit', () => fail('it has one file'))
      .on('partsLimit', () => fail('it has too many parts'))
      .on('error', (error: unknown) =>
        reject(error instanceof KindError ? error : malformed('it is cut off, or no form at all')),
      )
      .on('finish', resolve);
    // Its own error says more than that of the parser.
    source.once('error', reject);
  });
  ended.catch(() => source.destroy());
  const found = new Promise<FormFile>((resolve, reject) => {
    parser.on('file', (field: string, stream: Readable, name: string | undefined, _: string, claimed: string) => {
      hasFile = true;
      // It may fail before it is read. Then `ended` does too.
      stream.on('error', () => undefined);
      if (field !== FILE) parser.emit('error', malformed(`its file is in the field '${FILE}'`));
      resolve({ values, name, claimed, content: contentOf(stream, ended) });
    });
    ended.then(() => reject(malformed(`it has no file in the field '${FILE}'`)), reject);
  });
  source.pipe(parser);
  return found;
}

async function* contentOf(stream: Readable, ended: Promise<void>): AsyncGenerator<Uint8Array, void, undefined> {
  const failed = ended.then(
    () => undefined,
    (error: unknown) => void stream.destroy(error as Error),
  );
  for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk;
  await finished(stream);
  await Promise.all([ended, failed]);
}

function newParser(contentType: string, fieldSize: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fieldSize, fields: 1, files: 1, parts: 3, fieldNameSize: 100, headerPairs: 20, headerSize: 8192 },
    });
  } catch {
    throw malformed('its content-type has no boundary');
  }
}

function malformed(text: string): KindError {
  return refusal('body.malformed', `The form is not one with a file: ${text}`);
}

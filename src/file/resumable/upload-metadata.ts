/** The header `Upload-Metadata` of tus: keys, each with a value in base64. */
import { decodeBase64 } from '../../shared/base64.js';
import { refusal } from '../../shared/errors.js';
import { nameIn, valuesOf } from '../uploads.js';

export interface UploadMetadata {
  readonly name: string;
  /** The media type that the client says. */
  readonly claimed: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Printable characters of ASCII without space and comma, then the value. */
const PAIR = /^([!-+\--~]+)(?: ([A-Za-z0-9+/=]*))?$/;

/** Other keys than `filename`, `filetype` and `values` are left alone. @throws KindError 400 */
export function parseMetadata(header: string): UploadMetadata {
  const texts = new Map<string, string | undefined>();
  for (const pair of header.split(',').map((each) => each.trim())) {
    if (pair === '' && header.trim() === '') continue;
    const [match, key = '', value = ''] = PAIR.exec(pair) ?? [];
    const bytes = decodeBase64(value);
    if (match === undefined || !bytes) throw malformed('wants keys, each with a space and a value in base64');
    if (texts.has(key)) throw malformed(`has ${key} more than once`);
    texts.set(key, utf8Of(bytes));
  }
  const given = (key: string): string | undefined => {
    if (texts.has(key) && texts.get(key) === undefined) throw malformed(`${key} is not in UTF-8`);
    return texts.get(key);
  };
  const values = valuesOf(given('values'), malformed);
  const name = nameIn(values, given('filename'));
  if (name === undefined) {
    const text = 'name: must be given in Upload-Metadata, as filename or as the name in values';
    throw refusal('parameter.required', text, { parameter: 'name' });
  }
  return { name, claimed: given('filetype') || undefined, values };
}

function utf8Of(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function malformed(text: string): Error {
  return refusal('header.bad_value', `Upload-Metadata: ${text}`, { parameter: 'upload-metadata' });
}

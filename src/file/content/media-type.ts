/**
 * What a content is: found from its first bytes, and where those do not tell, what its sender says of a text. The rest
 * is `application/octet-stream`, so that nothing is served as what it only pretends to be.
 */
import { refusal } from '../../shared/errors.js';
import { areOfOneFormat, mayHold, NAMED_IN_TEXT } from './formats.js';
import { TextCheck } from './text-check.js';

/** Bytes from which the type is found. */
export const TYPE_BYTES = 4100;

export const UNKNOWN_TYPE = 'application/octet-stream';

/** What senders say that have looked at nothing, such as curl with `--data-binary`. */
const NO_CLAIMS: ReadonlySet<string> = new Set([
  UNKNOWN_TYPE,
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/** Types of text beside `text/…`, `…+xml` and `…+json`. */
const TEXTS: ReadonlySet<string> = new Set([
  'application/ecmascript',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/jsonl',
  'application/rtf',
  'application/sql',
  'application/toml',
  'application/vnd.apple.mpegurl',
  'application/x-httpd-php',
  'application/x-javascript',
  'application/x-mpegurl',
  'application/x-ndjson',
  'application/x-sh',
  'application/x-subrip',
  'application/x-tex',
  'application/x-yaml',
  'application/xml',
  'application/xml-dtd',
  'application/yaml',
  'message/rfc822',
]);

/** What a name says of a text of which nothing was claimed. */
const BY_EXTENSION = new Map([
  ['csv', 'text/csv'],
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['txt', 'text/plain'],
]);

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** What the sender says of a content: a `Content-Type`, and the name of the file. */
export interface Claims {
  readonly claimed?: string | undefined;
  readonly name?: string | undefined;
}

/** `ifText`: the type holds only if the whole content is text. */
export interface FoundType {
  readonly mediaType: string;
  readonly ifText: boolean;
}

/**
 * @param head the first `TYPE_BYTES` of a content, or all of a shorter one
 * @throws KindError 400 if the bytes are of another type than claimed
 */
export async function findMediaType(head: Uint8Array, { claimed, name }: Claims): Promise<FoundType> {
  const claim = claimOf(claimed);
  const canBeText = isTextHead(head);
  const signature = await signatureOf(head);
  // A few letters that begin a binary format begin texts as well.
  const found = signature !== undefined && canBeText && !NAMED_IN_TEXT.has(signature) ? undefined : signature;
  if (canBeText && claim !== undefined && isTextType(claim) && (found === undefined || isTextType(found))) {
    return { mediaType: claim, ifText: true };
  }
  if (found !== undefined) return { mediaType: await agreedType(found, claim), ifText: false };
  const named = canBeText && claim === undefined ? BY_EXTENSION.get(extensionOf(name)) : undefined;
  return named === undefined ? { mediaType: UNKNOWN_TYPE, ifText: false } : { mediaType: named, ifText: true };
}

/** The found type, or the claimed one where that says more of the same. @throws KindError 400 if they contradict */
async function agreedType(found: string, claim: string | undefined): Promise<string> {
  if (claim === undefined) return found;
  if (mayHold(found, claim)) return claim;
  if (areOfOneFormat(found, claim) || mayHold(claim, found) || !(await contradicts(found, claim))) return found;
  throw refusal('file.type_mismatch', `The content is ${found}, and its type is said to be ${claim}`);
}

/** Whether a claim names something else that is known. Of unknown formats the found one may be what they are made of. */
async function contradicts(found: string, claim: string): Promise<boolean> {
  if (isTextType(claim)) return true;
  const { supportedMimeTypes } = await import('file-type');
  if ([...supportedMimeTypes].some((known) => areOfOneFormat(known, claim))) return true;
  const [top] = claim.split('/');
  return top !== 'application' && top !== found.split('/')[0];
}

/** A media type in lower case, without parameters; undefined if none is claimed. */
function claimOf(claimed: string | undefined): string | undefined {
  const type = claimed?.split(';')[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) && !NO_CLAIMS.has(type) ? type : undefined;
}

async function signatureOf(head: Uint8Array): Promise<string | undefined> {
  // Loaded when a file comes, not with the service.
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    const found = claimOf((await fileTypeFromBuffer(head))?.mime);
    if (found === 'audio/mpeg' && isUtf16(head)) return undefined;
    return found === 'image/apng' ? 'image/png' : found;
  } catch {
    // Beyond what the library wants to read of a format.
    return undefined;
  }
}

/** A text in UTF-16 begins with the bytes of a frame of an MPEG layer that nobody uses. */
function isUtf16([first, second]: Uint8Array): boolean {
  return first === 0xff && second === 0xfe;
}

function isTextHead(head: Uint8Array): boolean {
  const check = new TextCheck();
  check.add(head);
  return check.canBeText;
}

function isTextType(type: string): boolean {
  return type.startsWith('text/') || /\+(xml|json)$/.test(type) || TEXTS.has(type);
}

function extensionOf(name = ''): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

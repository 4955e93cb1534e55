import { decodeBase64 } from '../../shared/base64.js';
import { refusal } from '../../shared/errors.js';
import { typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { byteSizeText } from '../../shared/texts.js';

const LONGEST_TEXT = Math.ceil(LIMITS.fileInJson / 3) * 4;

/** The bytes of `content` in a JSON body. @throws KindError 400 if it is not base64, 413 if it is too large */
export function base64Content(value: unknown): Buffer {
  const parameter = 'content';
  if (typeof value !== 'string') {
    const text = `content: must be base64 in a string, got ${typeName(value)}`;
    throw refusal('parameter.bad_type', text, { parameter });
  }
  const bytes = value.length <= LONGEST_TEXT ? decodeBase64(value) : undefined;
  if (value.length > LONGEST_TEXT || (bytes && bytes.length > LIMITS.fileInJson)) {
    const text = `content: at most ${byteSizeText(LIMITS.fileInJson)} in a JSON body; larger contents are sent as the body`;
    throw refusal('body.too_large', text, { parameter });
  }
  if (!bytes) {
    throw refusal('parameter.bad_value', 'content: must be base64 (RFC 4648, section 4, with padding)', { parameter });
  }
  return bytes;
}

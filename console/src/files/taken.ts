/** Which files a reference takes, as its field says. */
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { whyNotTaken } from '../../../src/model/parameter-setting/file.setting.js';
import type { Field } from '../api/types.js';
import { literal } from '../api/units.js';
import type { Text } from '../i18n/text.js';
import { sizeText } from './file-size.js';

type Taking = Pick<Field, 'accept' | 'max_bytes'>;

/** Why a file is not taken; undefined if it seems to be. The service decides by its content. */
export function notTakenText(
  { accept, max_bytes: most }: Taking,
  { name, type, size }: File,
  text: Text,
): string | undefined {
  // Browsers know few types.
  const known = type === '' ? undefined : accept;
  switch (whyNotTaken({ accept: known, maxBytes: most }, { mediaType: type, bytes: size })?.code) {
    case 'file.type_not_allowed':
      return text('files.type_not_allowed', { name, type, types: accept?.join(', ') ?? '' });
    case 'parameter.too_large':
      return text('files.too_large', { name, size: sizeText(size), most: sizeText(most ?? 0) });
    case undefined:
      return undefined;
  }
}

/** What is taken, in words; undefined if everything is. */
export function takenText({ accept = [], max_bytes: most }: Taking, text: Text): string | undefined {
  const limits = [...accept, ...(most === undefined ? [] : [text('files.at_most', { size: sizeText(most) })])];
  return limits.length === 0 ? undefined : text('files.takes', { limits: limits.join(', ') });
}

/** The filter of the files that are taken; undefined if all are, or if the field is no reference to files. */
export function takenFilter({ accept = [], max_bytes: most, reference_kind: kind }: Field): string | undefined {
  if (kind !== FILE_KIND) return undefined;
  const types = accept.map((type) =>
    type.endsWith('/*') ? `startswith(media_type,${literal(type.slice(0, -1))})` : `eq(media_type,${literal(type)})`,
  );
  const tests = [
    ...(types.length > 1 ? [`or(${types.join()})`] : types),
    ...(most === undefined ? [] : [`lte(bytes,${most})`]),
  ];
  return tests.length > 1 ? `and(${tests.join()})` : tests[0];
}

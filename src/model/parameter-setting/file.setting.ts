/** What a reference to files (`file`) takes, and whether the file goes with it. */
import { LIMITS } from '../../shared/limits.js';
import { byteSizeText } from '../../shared/texts.js';
import { FILE_KIND } from '../built-in-traits.js';
import type { CheckContext, ParameterSetting } from './parameter-setting.js';

export interface FileSettings {
  readonly referenceKind?: string | undefined;
  readonly accept?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
  readonly owned?: boolean;
}

/** What decides whether a reference takes a file. */
interface JudgedFile {
  readonly mediaType: string;
  readonly bytes: number;
}

/** A media type without parameters, or all types of one sort, such as `image/*`. */
const ACCEPTED = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/([a-z0-9][a-z0-9!#$&^_.+-]{0,126}|\*)$/;

/** Whether a parameter does not take every file. */
export function judgesFiles({ accept: types, maxBytes: most }: FileSettings): boolean {
  return types !== undefined || most !== undefined;
}

/** Whether a parameter has settings that only references to files have. */
export function hasFileSettings(def: FileSettings): boolean {
  return judgesFiles(def) || def.owned === true;
}

/** Why a parameter does not take a file; undefined if it does. */
export function whyNotTaken(
  { accept: types, maxBytes: most }: FileSettings,
  { mediaType, bytes }: JudgedFile,
): { readonly code: 'file.type_not_allowed' | 'parameter.too_large'; readonly text: string } | undefined {
  const [sort = ''] = mediaType.split('/');
  if (types && !types.includes(mediaType) && !types.includes(`${sort}/*`)) {
    return { code: 'file.type_not_allowed', text: `takes ${types.join(', ')}, and the file is ${mediaType}` };
  }
  if (most === undefined || bytes <= most) return undefined;
  const text = `takes files of ${byteSizeText(most)} at most, and this one has ${byteSizeText(bytes)}`;
  return { code: 'parameter.too_large', text };
}

function checkTarget({ referenceKind }: FileSettings, name: string, report: CheckContext['report']): boolean {
  if (referenceKind === undefined || referenceKind === FILE_KIND) return true;
  report(name, `only a reference to '${FILE_KIND}' has it, and this one leads to '${referenceKind}'`);
  return false;
}

export const accept: ParameterSetting<'accept', readonly string[] | undefined> = {
  key: 'accept',
  unset: undefined,
  isOwn: true,
  field: { type: 'json', label: 'Accepted media types' },
  check(def: FileSettings, { report }: CheckContext) {
    const given: unknown = def.accept;
    if (given === undefined || !checkTarget(def, 'accept', report)) return;
    if (!Array.isArray(given) || given.length === 0) {
      return report('accept', 'must be a list of at least one media type, such as image/png or image/*');
    }
    if (given.length > LIMITS.acceptedTypes) {
      return report('accept', `at most ${LIMITS.acceptedTypes}, got ${given.length}`);
    }
    for (const [at, type] of given.entries()) {
      if (typeof type === 'string' && ACCEPTED.test(type)) continue;
      report('accept', `[${at}]: must be a media type in lower case without parameters, such as image/png or image/*`);
    }
    if (new Set(given).size !== given.length) report('accept', 'the same type is there twice', 'parameter.duplicate');
  },
  form: {
    control: 'list',
    label: 'Accepted types of files',
    help: 'Media types such as image/png or image/*, Enter after each. Without any, all are accepted.',
  },
};

export const maxBytes: ParameterSetting<'maxBytes', number | undefined> = {
  key: 'maxBytes',
  unset: undefined,
  isOwn: true,
  field: { type: 'integer', label: 'Largest file', minValue: 1 },
  check(def: FileSettings, { report }: CheckContext) {
    if (def.maxBytes !== undefined) checkTarget(def, 'max_bytes', report);
  },
  form: { control: 'number', label: 'Largest file', help: 'Bytes at most.' },
};

/** The file goes with the unit or the reference, where nothing else refers to it. */
export const owned: ParameterSetting<'owned', boolean> = {
  key: 'owned',
  unset: false,
  isOwn: true,
  field: { type: 'boolean', label: 'Owned' },
  check(def: FileSettings, { report }: CheckContext) {
    if (def.owned === true) checkTarget(def, 'owned', report);
  },
  form: {
    control: 'flag',
    label: 'The file belongs to it',
    help: 'It is deleted with the unit, or when another one takes its place, where nothing else refers to it.',
    word: 'owned',
  },
};

/** The fields of files (`file`). */
import { LIMITS } from '../../shared/limits.js';
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { idColumn } from './member-fields.js';
import { SIZED_TYPES } from './sized-types.js';

/** The field with the key of the object that is the content. */
export const OBJECT_FIELD = 'object';

/** The field of bodies that has the content. */
export const CONTENT_FIELD = 'content';

/** The address of the content, which needs no header. */
export const URL_FIELD: Field = field(
  { id: 'url', type: 'string', label: 'Address' },
  { column: undefined, system: true, madeForAnswer: true },
);

/** What is found in the content. */
const FOUND = { system: true } as const;

/** Names that parameters of projects may not have, because files have them where a request names them. */
export const FILE_NAMES: readonly string[] = [URL_FIELD.id];

export const FILE_FIELDS: readonly Field[] = [
  field({ id: 'name', type: 'string', label: 'Name', nullable: false, required: true, maxLength: LIMITS.fileName }),
  field(
    {
      id: CONTENT_FIELD,
      type: 'binary',
      label: 'Content',
      helperText: 'What the file is; larger ones are sent as the body',
      nullable: false,
      required: true,
      runTime: true,
      maxLength: LIMITS.fileInJson,
    },
    { column: undefined, withoutHooks: true },
  ),
  field({ id: 'media_type', type: 'string', label: 'Media type', nullable: false }, FOUND),
  field({ id: 'bytes', type: 'integer', label: 'Bytes', nullable: false }, FOUND),
  field({ id: 'sha256', type: 'string', label: 'SHA-256', nullable: false }, FOUND),
  field({ id: 'width', type: 'integer', label: 'Width', helperText: 'Of a picture, in pixels' }, FOUND),
  field({ id: 'height', type: 'integer', label: 'Height', helperText: 'Of a picture, in pixels' }, FOUND),
  field(
    {
      id: 'owner',
      type: 'string',
      label: 'Owner',
      helperText: 'The id of the member that made it.',
      made: { from: 'caller' },
      indexed: true,
      writeAccess: 'admin',
    },
    idColumn,
  ),
  field(
    { id: OBJECT_FIELD, type: 'string', hidden: true, nullable: false, indexed: true },
    { ...FOUND, withoutHooks: true },
  ),
];

/**
 * The same where `originals=owner`: who gets a picture in sizes alone is not told by its digest whether it is one that he
 * has or suspects.
 */
export const FILE_FIELDS_OF_OWNERS: readonly Field[] = FILE_FIELDS.map((each) => {
  const rules = ['eq(owner,@member.id)', `not(in(media_type,${SIZED_TYPES.join()}))`];
  return each.id === 'sha256' ? { ...each, def: { ...each.def, readAccess: rules } } : each;
});

/** The ids of the fields that a content has, which change with it alone. */
export const CONTENT_FACTS: readonly string[] = FILE_FIELDS.filter(({ system, def }) => system && !def.hidden).map(
  ({ id }) => id,
);

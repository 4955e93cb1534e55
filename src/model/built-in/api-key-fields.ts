/** The fields of API keys (`api_key`). */
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { idColumn } from './credential-fields.js';

/** The field with the hash of the secret. */
export const SECRET_HASH = 'secret_hash';

/** The fields before and after the label. */
export const API_KEY_FIELDS: readonly Field[] = [
  field(
    {
      id: 'member',
      type: 'string',
      label: 'Member',
      helperText: 'The id of the member whose rights the key has; left out: who makes it',
      nullable: false,
      indexed: true,
      writeOnce: true,
    },
    { ...idColumn, supplied: true },
  ),
  field({
    id: 'scope',
    type: 'json',
    label: 'Scope',
    helperText: 'A list of objects with `kinds` and `operations`; null: all that the member may',
  }),
  field({ id: 'expires_at', type: 'datetime', label: 'Expires at' }),
  field({ id: 'last_used_at', type: 'datetime', label: 'Last used at' }, { system: true, unversioned: true }),
  field(
    { id: 'hint', type: 'string', label: 'Hint', helperText: 'The last characters of the secret' },
    { system: true },
  ),
  field({ id: SECRET_HASH, type: 'string', hidden: true, unique: true, nullable: false }, { system: true }),
];

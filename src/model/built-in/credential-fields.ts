/** The fields of credentials (`kind_system_user`). */
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { uuidType } from '../parameter-type/unit.type.js';

/** The column of a field that holds the UUID of a unit. */
export const idColumn = { type: uuidType, columnType: uuidType.column, json: uuidType.json } as const;

/** A field of credentials that no endpoint shows. */
const secret = (id: string, unique = false) => field({ id, type: 'string', hidden: true, unique });

export const CREDENTIAL_FIELDS: readonly Field[] = [
  field({ id: 'username', type: 'string', label: 'Username', nullable: false }),
  field({ id: 'email', type: 'string', label: 'E-mail', nullable: false }),
  secret('username_key', true),
  secret('email_key', true),
  secret('password_hash'),
  secret('member_kind'),
  field({ id: 'member_id', type: 'string', hidden: true, indexed: true }, idColumn),
];

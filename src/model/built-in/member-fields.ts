/** The fields of members, of their credentials (`kind_system_user`), their API keys (`api_key`) and their passkeys (`passkey`). */
import { EMAIL_LENGTH } from '../../shared/email.js';
import { PASSWORD } from '../../shared/limits.js';
import { USERNAME_LENGTH } from '../../shared/member-names.js';
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { CREDENTIAL_KIND } from '../built-in-traits.js';
import { uuidType } from '../parameter-type/unit.type.js';

/** The column of a field that holds the UUID of a unit. */
export const idColumn = { type: uuidType, columnType: uuidType.column, json: uuidType.json } as const;

/** A field of credentials that no endpoint shows. */
const secret = (id: string, unique = false) => field({ id, type: 'string', hidden: true, unique });

export const TOTP_SECRET = 'totp_secret';
/** When it was first proved that the address is the member's; null: not yet. */
export const EMAIL_VERIFIED_AT = 'email_verified_at';

export const CREDENTIAL_FIELDS: readonly Field[] = [
  field({ id: 'username', type: 'string', label: 'Username', nullable: false }),
  field({ id: 'email', type: 'string', label: 'E-mail', nullable: false }),
  secret('username_key', true),
  secret('email_key', true),
  secret('password_hash'),
  // Of an authenticator app: its secret, encrypted, whether its codes are asked for, and the step of the last one.
  field(
    { id: TOTP_SECRET, type: 'text', hidden: true },
    { sealed: { lost: { totp_confirmed: null, totp_step: null, recovery_codes: null } } },
  ),
  field({ id: 'totp_confirmed', type: 'boolean', hidden: true }),
  field({ id: 'totp_step', type: 'integer', hidden: true }),
  // Hashes.
  field({ id: 'recovery_codes', type: 'string', multiple: true, hidden: true }),
  // What counts; members show a copy of it.
  field({ id: EMAIL_VERIFIED_AT, type: 'datetime', hidden: true }),
  // When that of a former address was.
  field({ id: 'former_verified_at', type: 'datetime', hidden: true }),
  // By which devices with passkeys know the member: 64 random bytes, which tell nothing of it.
  secret('passkey_handle'),
  secret('member_kind'),
  field({ id: 'member_id', type: 'string', hidden: true, indexed: true }, idColumn),
];

/** The fields with which one could sign in. */
export const CREDENTIAL_SECRETS: readonly string[] = [
  'password_hash',
  TOTP_SECRET,
  'totp_confirmed',
  'totp_step',
  'recovery_codes',
  'passkey_handle',
];

/** The field of a sign-up body in place of the id of the credentials. */
const CREDENTIALS = field({
  id: CREDENTIAL_KIND,
  type: 'json',
  label: 'System user',
  helperText: 'An object of username, password and email: those of the member',
  required: true,
  nullable: false,
});

const PASSWORD_FIELD = field({
  id: 'password',
  type: 'string',
  label: 'Password',
  required: true,
  nullable: false,
  runTime: true,
  ...PASSWORD,
});

/** The fields that the group of member kinds adds to its kinds. */
export const MEMBER_FIELDS: readonly Field[] = [
  field(
    { id: CREDENTIAL_KIND, type: 'string', label: 'System user', nullable: false, unique: true },
    { ...idColumn, system: true },
  ),
  field({
    id: 'username',
    type: 'string',
    label: 'Username',
    required: true,
    nullable: false,
    minLength: 1,
    maxLength: USERNAME_LENGTH,
    strip: true,
  }),
  field({
    id: 'email',
    type: 'string',
    label: 'E-mail',
    required: true,
    nullable: false,
    minLength: 3,
    maxLength: EMAIL_LENGTH,
    strip: true,
  }),
  field({ id: 'first_name', type: 'string', label: 'First name', nullable: false, default: '', maxLength: 500 }),
  field({ id: 'last_name', type: 'string', label: 'Last name', nullable: false, default: '', maxLength: 500 }),
  field({ id: 'first_access_time', type: 'datetime', label: 'First access' }, { system: true, unversioned: true }),
  field({ id: 'last_access_time', type: 'datetime', label: 'Last access' }, { system: true, unversioned: true }),
  field({ id: EMAIL_VERIFIED_AT, type: 'datetime', label: 'E-mail verified' }, { system: true, unversioned: true }),
];

/**
 * Names in bodies of sign-ups and in member sessions, beside the fields of members. A parameter with such an id could
 * not be set, or would be mistaken for a token.
 */
export const SESSION_NAMES: readonly string[] = ['password', 'access_token', 'refresh_token', 'auth_token'];
/**
 * What the answer of `/auth/me` says beside the member's record. Parameters of these names that are there already stay:
 * the answer's own fields take their place.
 */
export const OWN_RECORD_NAMES: readonly string[] = ['administrator', 'groups'];

/** The granted fields in the struct of a member kind: those of a sign-up, so that a form built from it can sign up. */
export const MEMBER_STRUCT: readonly Field[] = MEMBER_FIELDS.flatMap((granted) => {
  if (granted.id === 'username') return [granted, PASSWORD_FIELD];
  if (granted.id === CREDENTIAL_KIND) return [CREDENTIALS];
  return granted.system ? [] : [granted];
});

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
  field({
    id: 'agent',
    type: 'boolean',
    label: 'Agent',
    helperText: 'Whether it is the key of an agent, which opens the address for agents and nothing else',
  }),
  field({
    id: 'writes',
    type: 'boolean',
    label: 'Writes',
    helperText: 'Whether an agent may write with it; null: no',
  }),
  field({ id: 'expires_at', type: 'datetime', label: 'Expires at' }),
  field({ id: 'last_used_at', type: 'datetime', label: 'Last used at' }, { system: true, unversioned: true }),
  field(
    { id: 'hint', type: 'string', label: 'Hint', helperText: 'The last characters of the secret' },
    { system: true },
  ),
  field({ id: SECRET_HASH, type: 'string', hidden: true, unique: true, nullable: false }, { system: true }),
];

/** Whoever may edit a passkey gives it another label, and changes nothing else. */
const kept = (settings: Parameters<typeof field>[0], extras?: Parameters<typeof field>[1]) =>
  field({ ...settings, writeAccess: 'nobody' }, extras);
/** Changes with each use, without a new version of the unit. */
const USED = { unversioned: true } as const;

/** The fields after the label. */
export const PASSKEY_FIELDS: readonly Field[] = [
  kept({ id: 'member', type: 'string', label: 'Member', nullable: false, indexed: true }, idColumn),
  kept(
    {
      id: 'backed_up',
      type: 'boolean',
      label: 'Backed up',
      helperText: 'Whether it is kept elsewhere too, so that it is not lost with its device',
      nullable: false,
    },
    USED,
  ),
  kept({ id: 'last_used_at', type: 'datetime', label: 'Last used at' }, USED),
  // What devices call it, how they are reached, the domain that it is for, how often it was used if they count.
  kept({ id: 'credential_id', type: 'string', hidden: true, unique: true, nullable: false }),
  kept({ id: 'transports', type: 'string', multiple: true, hidden: true, nullable: false }),
  kept({ id: 'domain', type: 'string', hidden: true, nullable: false }),
  kept({ id: 'public_key', type: 'text', hidden: true, nullable: false }),
  kept({ id: 'counter', type: 'integer', hidden: true, nullable: false }, USED),
];

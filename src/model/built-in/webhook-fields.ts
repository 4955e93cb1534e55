/** The fields of webhooks (`webhook`). */
import { FEED_OPERATIONS } from '../changes.js';
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { idColumn } from './member-fields.js';

/** How a webhook is. */
const WEBHOOK_STATES = ['ok', 'paused'] as const;

/** What is sent if the webhook does not say. */
const DEFAULT_OPERATIONS = FEED_OPERATIONS.filter((operation) => operation !== 'link' && operation !== 'unlink');

/** The fields with what is encrypted. */
export const SEALED_SECRETS = 'sealed_secrets';
export const SEALED_HEADERS = 'sealed_headers';
/** The field that counts events which have failed for good in a row. */
export const FAILURES = 'failures';

/** Written by what sends, without a new version of the unit. */
const REPORTED = { system: true, unversioned: true } as const;

/** After the label. */
export const WEBHOOK_FIELDS: readonly Field[] = [
  field({
    id: 'url',
    type: 'string',
    label: 'Address',
    helperText: 'Where changes are sent to, beginning with https://',
    nullable: false,
    maxLength: 2000,
    strip: true,
  }),
  field({
    id: 'kinds',
    type: 'string',
    label: 'Kinds',
    helperText: 'Ids of the kinds whose changes are sent; null: all that are recorded',
    multiple: true,
  }),
  field({
    id: 'operations',
    type: 'string',
    label: 'Operations',
    multiple: true,
    nullable: false,
    default: [...DEFAULT_OPERATIONS],
    values: [...FEED_OPERATIONS],
  }),
  field({ id: 'filter', type: 'text', label: 'Filter', helperText: 'A filter over the units of the one kind' }),
  field(
    {
      id: 'member',
      type: 'string',
      label: 'Member',
      helperText: 'The id of the member whose rights decide what is sent; null: those of an administrator',
    },
    idColumn,
  ),
  field({
    id: 'headers',
    type: 'json',
    label: 'Headers',
    helperText:
      'Further headers of what is sent, by name; their values are not shown again, and null keeps a stored one',
    nullable: false,
    default: {},
  }),
  field({ id: 'active', type: 'boolean', label: 'Active', nullable: false, default: true }),
  field({ id: 'state', type: 'string', label: 'State', nullable: false, values: [...WEBHOOK_STATES] }, REPORTED),
  field({ id: 'reason', type: 'string', label: 'Reason' }, REPORTED),
  field({ id: 'delivered_at', type: 'datetime', label: 'Delivered at' }, REPORTED),
  field({ id: 'waiting', type: 'integer', label: 'Waiting', nullable: false }, REPORTED),
  field(
    { id: 'hint', type: 'string', label: 'Hint', helperText: 'The last characters of the secret' },
    { system: true },
  ),
  field({ id: FAILURES, type: 'integer', hidden: true, nullable: false }, REPORTED),
  // Without its secret, it pauses with the next attempt.
  field({ id: SEALED_SECRETS, type: 'text', hidden: true }, { ...REPORTED, sealed: { lost: {} } }),
  field(
    { id: SEALED_HEADERS, type: 'text', hidden: true },
    { ...REPORTED, sealed: { lost: { [SEALED_SECRETS]: null } } },
  ),
];

/** The fields of identity providers (`identity_provider`) and of the accounts that members have there (`identity`). */
import { LIMITS } from '../../shared/limits.js';
import { builtInField as field } from '../field.js';
import type { Field } from '../model.js';
import { idColumn } from './member-fields.js';

/** What who signs in is linked to: a member with the same address, if both are verified, or nobody. */
const LINKINGS = ['verified', 'never'] as const;
export type Linking = (typeof LINKINGS)[number];

/** The field with the secret of the client, which is encrypted. */
export const CLIENT_SECRET = 'client_secret';

export const IDENTITY_PROVIDER_FIELDS: readonly Field[] = [
  field({
    id: 'label',
    type: 'string',
    label: 'Label',
    helperText: 'What a page for sign-in shows',
    required: true,
    nullable: false,
    minLength: 1,
    maxLength: 500,
    strip: true,
  }),
  field({
    id: 'issuer',
    type: 'string',
    label: 'Issuer',
    helperText: 'As the provider writes it in its tokens, beginning with https://',
    required: true,
    nullable: false,
    maxLength: LIMITS.issuer,
    strip: true,
  }),
  field({
    id: 'client_id',
    type: 'string',
    label: 'Client id',
    helperText: 'By which the provider knows this project',
    required: true,
    nullable: false,
    minLength: 1,
    maxLength: 500,
    strip: true,
  }),
  field(
    {
      id: CLIENT_SECRET,
      type: 'string',
      label: 'Client secret',
      helperText: 'It is not shown again. Clients without one have none',
      hidden: true,
      minLength: 1,
      maxLength: LIMITS.clientSecret,
      strip: true,
    },
    // Without it, its provider would refuse everybody.
    { sealed: { lost: { active: false } } },
  ),
  field({
    id: 'scopes',
    type: 'string',
    label: 'Scopes',
    helperText: 'With spaces between them; openid among them',
    nullable: false,
    default: 'openid email profile',
    maxLength: 1000,
    strip: true,
  }),
  field({
    id: 'member_kind',
    type: 'string',
    label: 'Member kind',
    helperText: 'The kind that new members are of',
    required: true,
    nullable: false,
  }),
  field({
    id: 'signup',
    type: 'boolean',
    label: 'Sign-up',
    helperText: 'Whether who has no account gets one. Otherwise such people are led back with access.denied',
    nullable: false,
    default: false,
  }),
  field({
    id: 'link',
    type: 'string',
    label: 'Link',
    helperText: 'Whether who comes with the address of a member, verified by the provider, is that member',
    nullable: false,
    default: 'verified' satisfies Linking,
    values: [...LINKINGS],
  }),
  field({
    id: 'trust_email',
    type: 'boolean',
    label: 'Trust e-mail',
    helperText: 'Whether an address counts as verified of which the provider does not say whether it is',
    nullable: false,
    default: false,
  }),
  field({
    id: 'claims',
    type: 'json',
    label: 'Claims',
    helperText: 'Names of claims by the parameters of new members that they fill',
    nullable: false,
    default: {},
  }),
  field({ id: 'active', type: 'boolean', label: 'Active', nullable: false, default: true }),
];

/** What identifies an identity. */
export const IDENTITY_KEY = ['issuer', 'subject'] as const;

/** Written with each use, without a new version of the unit. */
const USED = { system: true, unversioned: true } as const;
const MADE = { system: true } as const;

export const IDENTITY_FIELDS: readonly Field[] = [
  field(
    {
      id: 'provider',
      type: 'string',
      label: 'Provider',
      helperText: 'The id of the identity provider',
      nullable: false,
      indexed: true,
    },
    MADE,
  ),
  field({ id: 'member', type: 'string', label: 'Member', nullable: false, indexed: true }, { ...idColumn, ...MADE }),
  field({ id: 'email', type: 'string', label: 'E-mail', helperText: 'As the provider said it last' }, USED),
  field({ id: 'last_used_at', type: 'datetime', label: 'Last used at' }, USED),
  field({ id: 'issuer', type: 'string', hidden: true, nullable: false }, MADE),
  field({ id: 'subject', type: 'string', hidden: true, nullable: false }, MADE),
];

/** The settings of the project that the console shows, in groups. Their texts are in `i18n/settings.ts`: `x` and `x_help`. */
import type { settings as TEXTS } from '../i18n/settings.js';

type TextId = keyof (typeof TEXTS)['settings'];
/** Those with a text of help. */
type SettingId = { [Id in TextId]: `${Id}_help` extends TextId ? Id : never }[TextId];

export type Setting =
  | { readonly id: SettingId; readonly type: 'flag' | 'number' | 'text' }
  /** Each label is of the word at its end. */
  | { readonly id: SettingId; readonly type: 'choice'; readonly labels: readonly TextId[] };

interface SettingsGroup {
  readonly id: TextId;
  readonly settings: readonly Setting[];
}

export const GROUPS: readonly SettingsGroup[] = [
  {
    id: 'sign_in',
    settings: [
      {
        id: 'second_step',
        type: 'choice',
        labels: ['second_step_optional', 'second_step_administrators', 'second_step_everyone'],
      },
      { id: 'otp', type: 'flag' },
      { id: 'verify_email', type: 'flag' },
      { id: 'mail_sign_in', type: 'flag' },
      { id: 'redirects', type: 'text' },
      { id: 'passkey_domain', type: 'text' },
      { id: 'passkey_origins', type: 'text' },
    ],
  },
  {
    id: 'files',
    settings: [
      { id: 'image_sizes', type: 'text' },
      { id: 'originals', type: 'choice', labels: ['originals_all', 'originals_owner'] },
      { id: 'file_url_seconds', type: 'number' },
    ],
  },
];

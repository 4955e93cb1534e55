/** All texts of the console in English; each area has a file of its own. A translation has the same keys. */
import { access } from './access.js';
import { charts } from './charts.js';
import { data } from './data.js';
import { files } from './files.js';
import { functions } from './functions.js';
import { graph } from './graph.js';
import { members } from './members.js';
import { model } from './model.js';
import { overview } from './overview.js';
import { rights } from './rights.js';
import { settings } from './settings.js';
import { signIn } from './sign-in.js';
import { webhooks } from './webhooks.js';

export const en = {
  app: {
    name: 'Kind',
    skip: 'Skip to the content',
    loading: 'Loading',
    retry: 'Try again',
    close: 'Close',
    show_password: 'Show the password',
    cancel: 'Cancel',
    documentation: 'API document',
    failed: 'Something went wrong',
    refused: 'This cannot be shown',
    offline: 'The service cannot be reached. What is shown may be old; what you typed is still here.',
    show_more: 'Show %{count} more of %{all}',
    not_found: 'There is no such page',
    to_start: 'To the start',
  },
  theme: { label: 'Colors', light: 'Light', dark: 'Dark', auto: 'As the system' },
  menu: {
    open: 'Menu',
    account: 'Account',
    kinds: 'Kinds',
    built_in: 'Built-in kinds',
    groups: 'Groups',
    find: 'Find a kind',
    add_kind: 'Add a kind',
    model: 'Model',
    access: 'Access',
    members: 'Members',
    functions: 'Functions',
    webhooks: 'Webhooks',
    settings: 'Settings',
  },
  sign_in: {
    title: 'Sign in',
    again: 'Your session has ended: sign in again to go on. Nothing that you typed is lost.',
    project: 'Project key',
    username: 'Username or e-mail',
    password: 'Password',
    asks_mail: 'A code was mailed to you. Type it in, and sign in once more.',
    asks_totp:
      'Type the code that your authenticator app shows now, or one of your recovery codes, and sign in once more.',
    asks_passkey: 'Your account asks for a passkey.',
    code_mail: 'Code of the mail',
    code_totp: 'Code of the app, or a recovery code',
    submit: 'Sign in',
    or: 'or',
    by_code: 'Get a code by mail',
    by_password: 'With a password',
    mail_code: 'Mail me a code',
    code_sent: 'If a member has this address, a code is on its way. Type it in within ten minutes.',
    another_code: 'Send another code',
    forgotten: 'Forgot the password?',
    forgotten_title: 'Forgotten password',
    forgotten_text: 'A mail with a link to set a new password is sent to the address of the member.',
    email: 'E-mail',
    send_mail: 'Send the mail',
    mail_sent: 'If a member has this address, the mail is on its way.',
    back: 'Back to the sign-in',
    not_secure: 'This address is neither https nor localhost: after a reload you have to sign in again.',
    sign_out: 'Sign out',
  },
  ...data,
  ...graph,
  ...model,
  ...charts,
  ...files,
  ...functions,
  ...members,
  ...overview,
  ...access,
  ...rights,
  ...settings,
  ...signIn,
  ...webhooks,
} as const;

/** Options of `@nestjs-modules/mailer`: SMTP if MAIL_URL is set, otherwise the outbox. */
import { join } from 'node:path';
import type { MailerOptions } from '@nestjs-modules/mailer';
import type { Config } from '../config/config.js';
import { OutboxTransport } from './outbox.transport.js';

/** Milliseconds to send a mail, so that a server that does not respond does not block others. */
const SEND_TIMEOUT = 30_000;

/** The folder in DATA_DIR for mails if there is no mail server. */
export const OUTBOX_FOLDER = 'outbox';

export function mailTransport({ mailUrl, dataDir }: Pick<Config, 'mailUrl' | 'dataDir'>): object {
  return mailUrl === undefined
    ? new OutboxTransport(join(dataDir, OUTBOX_FOLDER))
    : { url: mailUrl, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
}

export function mailerOptions(config: Config): MailerOptions {
  // Mails contain only our own text. If that ever changes, nodemailer must not read files or URLs for them.
  const defaults = { from: config.mailFrom, disableFileAccess: true, disableUrlAccess: true };
  return { transport: mailTransport(config), defaults, sendTimeout: SEND_TIMEOUT };
}

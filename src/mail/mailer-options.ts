/** How `@nestjs-modules/mailer` is set up: SMTP where MAIL_URL is set, else the outbox. */
import { join } from 'node:path';
import type { MailerOptions } from '@nestjs-modules/mailer';
import type { Config } from '../config/config.js';
import { OutboxTransport } from './outbox.transport.js';

/** Milliseconds for a mail in all; a server that says nothing holds up no others. */
const SEND_TIMEOUT = 30_000;

/** The folder of the mails that are not sent, in DATA_DIR. */
export const OUTBOX_FOLDER = 'outbox';

export function mailerOptions({ mailUrl, mailFrom, dataDir }: Config): MailerOptions {
  const transport: object =
    mailUrl === undefined
      ? new OutboxTransport(join(dataDir, OUTBOX_FOLDER))
      : { url: mailUrl, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
  // Mails have text of ours alone; should that ever change, nothing is read from the disk or the net for them.
  const defaults = { from: mailFrom, disableFileAccess: true, disableUrlAccess: true };
  return { transport, defaults, sendTimeout: SEND_TIMEOUT };
}

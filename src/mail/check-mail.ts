/** Looks at the start whether mails can be sent, which would otherwise be noticed with the first one. */
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { failureCodes } from './failure-codes.js';
import { mailTransport, OUTBOX_FOLDER } from './mailer-options.js';

/**
 * Signs in to the mail server, or writes to the outbox. A failure is a warning, because a mail server may be away for a
 * moment, and a service without mails serves all other requests.
 */
export async function checkMail(config: Pick<Config, 'mailUrl' | 'dataDir'>, logger: Logger): Promise<void> {
  const transport = createTransport(mailTransport(config));
  try {
    await transport.verify();
  } catch (error) {
    logger.warn(failureCodes(error), whatToDo(config));
  } finally {
    transport.close();
  }
}

function whatToDo({ mailUrl, dataDir }: Pick<Config, 'mailUrl' | 'dataDir'>): string {
  if (mailUrl === undefined) {
    const folder = join(dataDir, OUTBOX_FOLDER);
    return `mails cannot be written to ${folder}: make it a folder that this account can write, or set MAIL_URL`;
  }
  return 'mails cannot be sent: the server of MAIL_URL cannot be reached, or refuses its user and password';
}

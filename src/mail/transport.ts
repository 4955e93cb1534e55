/** How mails leave: by SMTP if MAIL_URL is set, otherwise to the outbox, a folder; and whether they can, told at the start. */
import type { MailerOptions } from '@nestjs-modules/mailer';
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { makeFolder } from '../config/folder.js';

/** Milliseconds to send a mail, so that a server that does not respond does not block others. */
const SEND_TIMEOUT = 30_000;

/** The folder in DATA_DIR for mails if there is no mail server. */
const OUTBOX_FOLDER = 'outbox';

function mailTransport({ mailUrl, dataDir }: Pick<Config, 'mailUrl' | 'dataDir'>): object {
  return mailUrl === undefined
    ? new OutboxTransport(join(dataDir, OUTBOX_FOLDER))
    : { url: mailUrl, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
}

export function mailerOptions(config: Config): MailerOptions {
  // Mails contain only our own text. If that ever changes, nodemailer must not read files or URLs for them.
  const defaults = { from: config.mailFrom, disableFileAccess: true, disableUrlAccess: true };
  return { transport: mailTransport(config), defaults, sendTimeout: SEND_TIMEOUT };
}

/** The mail object that nodemailer passes to a transport. */
interface ComposedMail {
  readonly message: {
    build(): Promise<Buffer>;
    getEnvelope(): object;
    messageId(): string;
  };
}

type Done = (error: Error | null, info?: object) => void;

/**
 * A nodemailer transport that stores each mail as an `.eml` file, for installations without a mail server. Files are
 * written under a temporary name and then renamed, so a reader never sees a part of a mail. Several processes may write
 * at once.
 */
export class OutboxTransport {
  readonly name = 'Outbox';
  readonly version = '1';

  constructor(private readonly folder: string) {}

  send({ message }: ComposedMail, done: Done): void {
    this.#write(message).then(
      (file) => done(null, { envelope: message.getEnvelope(), messageId: message.messageId(), file }),
      (error: Error) => done(error),
    );
  }

  /** Writes a file, and removes it. @throws the system's error */
  async verify(): Promise<true> {
    await makeFolder(this.folder, 0o700);
    const draft = join(this.folder, `.${randomBytes(8).toString('hex')}.part`);
    try {
      await (await open(draft, 'wx', 0o600)).close();
    } finally {
      await rm(draft, { force: true });
    }
    return true;
  }

  async #write(message: ComposedMail['message']): Promise<string> {
    const bytes = await message.build();
    await makeFolder(this.folder, 0o700);
    const name = `${new Date().toISOString().replace(/[-:]/g, '')}-${randomBytes(8).toString('hex')}`;
    const [draft, file] = [join(this.folder, `.${name}.part`), join(this.folder, `${name}.eml`)];
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return file;
  }
}

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

/**
 * The codes of a mail's failure, for the log. Texts of servers are left out: they contain addresses, and sometimes
 * passwords.
 */
export function failureCodes(error: unknown): object {
  const { code, responseCode, command, name } = error as Record<string, unknown>;
  return { code, responseCode, command, ...(code === undefined && { error: name }) };
}

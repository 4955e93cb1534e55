/**
 * A nodemailer transport that stores each mail as an `.eml` file, for installations without a mail server. Files are
 * written under a temporary name and then renamed, so a reader never sees a part of a mail. Several processes may write
 * at once.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../config/folder.js';

/** The mail object that nodemailer passes to a transport. */
interface ComposedMail {
  readonly message: {
    build(): Promise<Buffer>;
    getEnvelope(): object;
    messageId(): string;
  };
}

type Done = (error: Error | null, info?: object) => void;

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

/** A request has an upload: no other one changes it meanwhile. Others wait for it a little, and ask it to end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import {
  type HeldUploadRow,
  holdUploadStatement,
  keepUploadStatement,
  releaseUploadStatement,
  type UploadRow,
} from '../../sql/file/upload.sql.js';

interface OwnUpload {
  readonly schema: string;
  readonly id: string;
  readonly member: string;
}

/** Milliseconds between two looks at an upload that another request has. */
const LOOKS = 100;

export class UploadHold {
  readonly holder = randomUUID();
  /** Called when another request waits. */
  onWanted: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly upload: OwnUpload,
  ) {}

  /** @throws KindError 404, 423 */
  async take(): Promise<UploadRow> {
    const { schema, ...of } = this.upload;
    const life = LIMITS.uploadHeldSeconds;
    const until = performance.now() + LIMITS.uploadWaitSeconds * 1000;
    const hold = holdUploadStatement(schema, { ...of, holder: this.holder, life });
    for (;;) {
      const [row] = await this.database.run<HeldUploadRow>(hold);
      if (!row) throw unknownUpload();
      if (row.id !== null) {
        this.#timer = setInterval(() => void this.#keep(), (life / 5) * 1000).unref();
        return row;
      }
      if (performance.now() > until) throw busyUpload();
      await sleep(LOOKS);
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    // If this fails, it ends by itself.
    await this.database
      .run(releaseUploadStatement(this.upload.schema, this.upload.id, this.holder))
      .catch(() => undefined);
  }

  async #keep(): Promise<void> {
    const keep = keepUploadStatement(this.upload.schema, this.upload.id, this.holder, LIMITS.uploadHeldSeconds);
    const rows = await this.database.run<{ readonly wanted: boolean }>(keep).catch(() => undefined);
    if (rows && rows[0]?.wanted !== false) this.onWanted?.();
  }
}

export function busyUpload(): Error {
  return refusal('file.upload_busy', 'Another request works on this upload');
}

export function unknownUpload(): Error {
  return refusal('file.upload_unknown', 'No such upload of this member, or it has expired');
}

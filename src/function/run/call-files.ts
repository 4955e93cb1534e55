/** Contents of files for functions: they come and go by the rules of requests, as their caller or as the system. */
import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { transactionOf, type Session } from '../../catalog/session/session.js';
import { ContentCommands } from '../../file/content.commands.js';
import { fileName } from '../../file/content/file-name.js';
import { requireContents } from '../../file/contents.js';
import { NewContents } from '../../file/new-contents.js';
import type { StoredContent } from '../../file/stored-content.js';
import { Uploads } from '../../file/uploads.js';
import type { NewFile } from '../../kit/files.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { CONTENT_FIELD } from '../../model/built-in/file-fields.js';
import { LIMITS } from '../../shared/limits.js';
import type { UnitObject } from '../../unit/hidden-values.js';
import { SessionUnits } from '../../unit/session-units.js';
import { onlyOne } from '../../unit/unit-answers.js';
import { streamOf } from './open-contents.js';
import type { OperationQueue } from './operation-queue.js';
import type { TimeLimit } from './time-limit.js';

@Injectable()
export class CallFiles {
  constructor(
    private readonly contents: ContentCommands,
    private readonly newContents: NewContents,
    private readonly units: SessionUnits,
    private readonly uploads: Uploads,
  ) {}

  /**
   * Stores the content of a new file, which goes with the transaction of the session, unless that gives it to a file.
   * @throws KindError 400, 401, 403, 409, 413, 503, and whatever the content throws
   */
  async store(session: Session, { name, content, media_type }: NewFile, limit: TimeLimit): Promise<StoredContent> {
    requireContents(session, 'create');
    const claims = { name: fileName(name), claimed: media_type };
    const tx = transactionOf(session);
    // What is still waited for when the function has failed is given up.
    const over = new Promise<never>((_, reject) => tx.onEnd(() => reject(new Error('the call is over'))));
    over.catch(() => undefined);
    const pieces = piecesOf(content, (piece) => limit.race(Promise.race([piece, over])));
    return this.newContents.addTo(tx, session.project, () => this.uploads.take(session, pieces, claims));
  }

  async create(session: Session, file: NewFile, content: StoredContent): Promise<UnitObject> {
    const body = { ...file, media_type: undefined, [CONTENT_FIELD]: content };
    return onlyOne(await this.units.createAll(session, FILE_KIND, [body], [], { bulk: false }));
  }

  /** A file with its content, which is not enumerable. @throws KindError 401, 403, 404 */
  async open(session: Session, id: string, opened: OpenContents): Promise<UnitObject> {
    const unit = await this.units.get(session, FILE_KIND, id);
    const open = await this.contents.open(session, id);
    return Object.defineProperty(unit, CONTENT_FIELD, { value: opened.add(open), configurable: true });
  }

  /** @throws KindError 401, 403, 404 */
  async url(session: Session, id: string, seconds: number | undefined): Promise<string> {
    return (await this.contents.sign(session, id, seconds)).url;
  }
}

/** The contents that a call has opened, which are closed with it. */
export class OpenContents {
  readonly #streams = new Set<Readable>();
  #read = 0;

  constructor(operations: OperationQueue) {
    operations.onClose(() => {
      for (const stream of this.#streams) stream.destroy();
    });
  }

  add(open: () => Promise<Readable>): Readable {
    const stream = streamOf(() => this.#open(stream, open));
    this.#streams.add(stream);
    return stream.once('close', () => this.#streams.delete(stream));
  }

  /** @throws Error if too many are read */
  #open(stream: Readable, open: () => Promise<Readable>): Promise<Readable> {
    if (this.#read >= LIMITS.filesOpen) {
      throw new Error(`At most ${LIMITS.filesOpen} contents are read at the same time: end one, or destroy() it`);
    }
    this.#read += 1;
    stream.once('close', () => (this.#read -= 1));
    return open();
  }
}

/** The pieces of a content that a function gives. What does not come in time is not waited for. */
async function* piecesOf(
  content: NewFile['content'],
  inTime: <T>(work: Promise<T>) => Promise<T>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof content === 'string' || content instanceof Uint8Array) return yield bytesOf(content);
  const pieces = content[Symbol.asyncIterator]();
  let isOver = false;
  try {
    while (!isOver) {
      const piece = await inTime(Promise.resolve(pieces.next()));
      isOver = piece.done === true;
      if (piece.done !== true) yield bytesOf(piece.value);
    }
  } finally {
    if (!isOver) void Promise.resolve(pieces.return?.()).catch(() => undefined);
  }
}

/** @throws TypeError */
function bytesOf(piece: unknown): Uint8Array {
  if (typeof piece === 'string') return Buffer.from(piece);
  if (piece instanceof Uint8Array) return piece;
  throw new TypeError('files.create(file): the pieces of a content are strings or bytes');
}

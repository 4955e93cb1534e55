/** Contents that no file has yet: they are stored first, so many for one write, and removed if no file gets them. */
import { Injectable } from '@nestjs/common';
import { type ConnectionUser, Database } from '../database/database.js';
import type { Ending } from '../shared/ending.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { getOrInsert } from '../shared/maps.js';
import { MetricSources } from '../shared/metric-sources.js';
import { forgetObjectsStatement } from '../sql/file/object.sql.js';
import { ReceivedContent, type Expectations } from './content/received-content.js';
import { Objects, type StoringProject } from './objects.js';
import { StoredContent } from './stored-content.js';

/** The contents of one write. */
interface ContentsOfWrite {
  /** Also of those that are being stored, and of those that were stored before. */
  count: number;
  /** They go with the write. */
  readonly stored: StoredContent[];
}

@Injectable()
export class NewContents {
  /** By key. */
  readonly #untaken = new Map<string, StoredContent>();
  readonly #ofWrites = new WeakMap<Ending, ContentsOfWrite>();
  /** Those that files got from this process. */
  readonly #taken = { contents: 0, bytes: 0 };

  constructor(
    private readonly objects: Objects,
    private readonly database: Database,
    metricSources: MetricSources,
  ) {
    const contents = 'Contents that files got.';
    metricSources.addCounter('kind_file_contents_total', contents, () => this.#taken.contents);
    metricSources.addCounter('kind_file_bytes_total', 'Bytes of contents that files got.', () => this.#taken.bytes);
  }

  /**
   * Stores a content under a new key, which is listed before, so that it is removed if no file gets it.
   * @param bytes its length, where it is known
   * @throws KindError 503 if the store does not answer, and what is wrong with the content
   */
  async add(
    project: StoringProject,
    source: AsyncIterable<Uint8Array>,
    expected: Expectations & { readonly bytes?: number | undefined; readonly ifMatch?: string | undefined },
  ): Promise<StoredContent> {
    const received = new ReceivedContent(source, expected);
    const key = await this.objects.put(project, received, expected.bytes);
    const content = new StoredContent(key, received.facts, expected.ifMatch);
    this.#untaken.set(key, content);
    return content;
  }

  /** Adds a content for a write, at whose end it is removed if no file has it. @throws KindError 400 as `countIn` */
  async addTo(write: Ending, project: ConnectionUser, add: () => Promise<StoredContent>): Promise<StoredContent> {
    const { stored } = this.countIn(write);
    const content = await add();
    content.write = write;
    if (write.hasEnded) void this.end(project, content);
    else if (stored.push(content) === 1) write.onEnd(() => void this.end(project, ...stored));
    return content;
  }

  /** Counts a content of a write. @throws KindError 400 if there are as many as there may be */
  countIn(write: Ending): ContentsOfWrite {
    const all = getOrInsert(this.#ofWrites, write, (): ContentsOfWrite => ({ count: 0, stored: [] }));
    all.count += 1;
    if (all.count <= LIMITS.filesInTransaction) return all;
    throw refusal('body.too_many', `At most ${LIMITS.filesInTransaction} contents of files in one transaction`);
  }

  find(key: string): StoredContent | undefined {
    return this.#untaken.get(key);
  }

  /** Call it when the transaction is committed that gave an object to a file. @param forgotten whether the list lacks it */
  async taken({ schema }: ConnectionUser, key: string, forgotten: boolean): Promise<void> {
    this.#taken.contents += 1;
    this.#taken.bytes += this.#untaken.get(key)?.facts.bytes ?? 0;
    this.#untaken.delete(key);
    if (!forgotten) await this.database.run(forgetObjectsStatement(schema, [key]));
  }

  /** Call it when files should have got contents: those that none has are removed. */
  async end(project: ConnectionUser, ...contents: readonly StoredContent[]): Promise<void> {
    const untaken = contents.filter(({ key }) => this.#untaken.delete(key));
    const objects = untaken.map(({ key, facts: { bytes } }) => ({ key, bytes }));
    await this.objects.remove(project, objects);
  }
}

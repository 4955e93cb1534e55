/**
 * The idempotency key of an import. The file is a stream, so that the hash of the body is known when all of it has
 * arrived: only then the key of an earlier request can be compared with it.
 */
import type { Transaction } from '../database/database.js';
import type { Answer } from '../http/answer/answer.js';
import { KindError } from '../shared/errors.js';
import { repeatedAnswer, type KeptAnswers } from '../run/kept-answers.js';
import type { EarlierAnswer } from '../sql/write/idempotency.sql.js';
import type { KeptProject } from '../tenancy/kept-bytes.js';
import type { RepeatedText } from './file/repeated-text.js';

/** A key as a request sends it. */
export interface GivenKey {
  readonly key: string;
  /** Method, path and query. */
  readonly request: string;
  /** Called if the answer is that of an earlier request. */
  readonly onRepeated: () => void;
}

export interface KeyOptions {
  readonly project: KeptProject;
  /** The member and the key. */
  readonly id: string;
  readonly given: GivenKey;
}

export class ImportKey {
  /** Whether the key was free, so that a refusal is kept. */
  #claimed = false;
  /** The answer to an earlier request with the key. */
  #earlier: EarlierAnswer | undefined;

  constructor(
    private readonly kept: KeptAnswers,
    private readonly options: KeyOptions,
    private readonly text: RepeatedText,
  ) {}

  /** Takes the key for a transaction. Returns false if it was used before. @throws KindError 409 */
  async claim(tx: Transaction): Promise<boolean> {
    this.#claimed = false;
    this.#earlier = await this.kept.claim(tx, this.options.project.schema, this.#keyed(''));
    this.#claimed = this.#earlier === undefined;
    return this.#claimed;
  }

  /** Stores the answer in the transaction that has the key. */
  keep(tx: Transaction, answer: Answer): Promise<void> {
    return this.kept.keep(tx, this.options.project, this.#keyed(this.text.hash), answer);
  }

  /** Stores a refusal after the transaction was rolled back. */
  async keepRefusal(error: unknown): Promise<void> {
    // The hash of a part of a file would be that of no request.
    if (this.#claimed && error instanceof KindError && this.text.ended) {
      const { status, messages } = error;
      await this.kept.keepRefusal(this.options.project, this.#keyed(this.text.hash), { status, messages });
    }
  }

  /**
   * The answer to the earlier request, or the given one if there was none. Call it after the transaction, which must not
   * wait for the client: all of the file has to arrive. @throws KindError 422 for another request
   */
  async repeatedOr(answer: Answer): Promise<Answer> {
    const earlier = this.#earlier;
    if (!earlier) return answer;
    await this.text.skip();
    const keyed = this.#keyed(this.text.hash);
    const isSame = earlier.request === keyed.request && earlier.hash === keyed.hash;
    if (isSame) this.options.given.onRepeated();
    return repeatedAnswer(earlier, keyed).answer;
  }

  #keyed(hash: string) {
    return { id: this.options.id, request: this.options.given.request, hash };
  }
}

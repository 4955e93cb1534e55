/**
 * The idempotency key of an import. The file is a stream, so that the hash of the body is known when all of it has
 * arrived: only then the key of an earlier request can be compared with it.
 */
import type { Transaction } from '../database/database.js';
import type { Answer } from '../http/answer/answer.js';
import { KindError } from '../shared/errors.js';
import { AnsweredError, repeatedAnswer, type KeptAnswers } from '../unit/write/kept-answers.js';
import type { KeptProject } from '../unit/write/kept-bytes.js';
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

  constructor(
    private readonly kept: KeptAnswers,
    private readonly options: KeyOptions,
    private readonly text: RepeatedText,
  ) {}

  /** Takes the key for a transaction. @throws AnsweredError if it was used before, KindError 409 */
  async claim(tx: Transaction): Promise<void> {
    this.#claimed = false;
    await this.kept.claim(tx, this.options.project.schema, this.#keyed(''));
    this.#claimed = true;
  }

  /** Stores the answer in the transaction that has the key. */
  keep(tx: Transaction, answer: Answer): Promise<void> {
    return this.kept.keep(tx, this.options.project, this.#keyed(this.text.hash), answer, undefined);
  }

  /** After the transaction was rolled back. @throws the error, unless the request was answered before */
  async settle(error: unknown): Promise<Answer> {
    if (error instanceof AnsweredError) return this.#repeated(error);
    // The hash of a part of a file would be that of no request.
    if (this.#claimed && error instanceof KindError && this.text.ended) {
      const { status, messages } = error;
      await this.kept.keepRefusal(this.options.project, this.#keyed(this.text.hash), { status, messages });
    }
    throw error;
  }

  async #repeated(error: AnsweredError): Promise<Answer> {
    await this.text.skip();
    const keyed = this.#keyed(this.text.hash);
    const isSame = error.earlier.request === keyed.request && error.earlier.hash === keyed.hash;
    if (isSame) this.options.given.onRepeated();
    return repeatedAnswer(error, keyed);
  }

  #keyed(hash: string) {
    return { id: this.options.id, request: this.options.given.request, hash };
  }
}

/** Idempotency keys: the answer to a request that has one is kept, in the transaction of its write. */
import { Injectable } from '@nestjs/common';
import { ExpiredRows } from '../catalog/project/expired-rows.js';
import { Answer } from '../http/answer/answer.js';
import { KEY_HEADER, REPEATED_STATUSES } from '../http/header-names.js';
import { StoredRefusal, type ErrorAnswer } from '../http/server/error.responder.js';
import { Database, type Executor } from '../database/database.js';
import { IDEMPOTENCY_TABLE } from '../model/table/internal-tables.js';
import { refusal, retryLater, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import {
  answeredKeyStatement,
  claimKeyStatement,
  ERASED_STATUS,
  keepAnswerStatement,
  keepRefusalStatement,
  type ClaimRow,
  type EarlierAnswer,
  type KeyedRequest,
} from '../sql/write/idempotency.sql.js';
import type { KeptAnswer, KeptCircumstances } from '../catalog/session/kept-answer.js';
import type { Caller } from '../tenancy/caller.js';
import { KeptBytes, type KeptProject } from '../tenancy/kept-bytes.js';

/** Seconds that an answer is kept. */
const LIFETIME = 24 * 3600;

/** Bytes of the row of an answer, apart from its texts. */
const ROW_BYTES = 500;

/** Attempts to take a key whose row another transaction has just stored. */
const ATTEMPTS = 5;

/** What is kept of an answer beside its content. */
type KeptHeaders = Partial<Pick<Answer, 'etag' | 'headers'>> & KeptCircumstances;

@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly database: Database,
    private readonly expired: ExpiredRows,
    private readonly bytes: KeptBytes,
  ) {}

  /** Takes the key. Returns the answer if it was used before. @throws KindError 409 while another request uses it */
  async claim(tx: Executor, schema: string, keyed: KeyedRequest): Promise<EarlierAnswer | undefined> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const [row] = await tx.run<ClaimRow>(claimKeyStatement(schema, keyed, LIFETIME));
      if (row?.claimed !== false) return undefined;
      if (row.content !== null) return row;
      if (!row.free) break;
    }
    throw retryLater('idempotency.running', 'The first request with this Idempotency-Key is still being answered');
  }

  /** Whether a key has an answer. The key is not taken. */
  async isAnswered(project: KeptProject, id: string | undefined): Promise<boolean> {
    if (id === undefined) return false;
    return (await this.database.ofProject(project).run(answeredKeyStatement(project.schema, id))).length > 0;
  }

  /** Stores the answer of a success. @throws KindError 400 if it is too large to be kept, 429 if the project keeps too much */
  async keep(tx: Executor, project: KeptProject, keyed: KeyedRequest, { answer, given }: KeptAnswer): Promise<void> {
    const { content, etag, headers } = answer;
    if (Buffer.byteLength(content) > LIMITS.keptAnswer) {
      const most = LIMITS.keptAnswer.toLocaleString('en');
      const text = `The answer would be larger than the ${most} bytes that are kept for an Idempotency-Key. Nothing was stored: send less at once, each part with a key of its own, or send it without a key`;
      throw refusal('answer.too_large', text);
    }
    this.bytes.refuseIfFull(project);
    const sent = JSON.stringify({ etag, headers, ...given } satisfies KeptHeaders);
    await tx.run(keepAnswerStatement(project.schema, keyed, { status: 200, content, headers: sent }));
    tx.tx?.afterCommit(() => this.#count(project, content, keyed));
  }

  /** Stores the answer of a refusal, if it is of a kind that is kept. */
  async keepRefusal(project: KeptProject, keyed: KeyedRequest, { status, messages }: ErrorAnswer): Promise<void> {
    const content = JSON.stringify(messages);
    const tooLarge = Buffer.byteLength(content) > LIMITS.keptAnswer;
    if (!REPEATED_STATUSES.has(status) || tooLarge || !this.bytes.hasRoom(project)) return;
    const statement = keepRefusalStatement(project.schema, keyed, { status, content, headers: null }, LIFETIME);
    await this.database.ofProject(project).run(statement);
    await this.#count(project, content, keyed);
  }

  /** Counts an answer that was stored. */
  async #count({ schema }: KeptProject, content: string, { request }: KeyedRequest): Promise<void> {
    this.bytes.add(schema, Buffer.byteLength(content) + request.length + ROW_BYTES);
    await this.expired.sweep(this.database, schema, IDEMPOTENCY_TABLE);
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The member and the key. @throws KindError 400 for a malformed key, and for callers without a token */
export function keyId(key: string, caller: Caller): string {
  if (!KEY.test(key)) {
    const text = 'Idempotency-Key: wants one key of 1 to 255 visible ASCII characters';
    throw refusal('idempotency.bad_key', text, { parameter: KEY_HEADER });
  }
  if (caller.type !== 'member') throw notHere('Idempotency-Key is for members: the request has no token');
  return `${caller.kindId} ${caller.id} ${key}`;
}

/** Why an answer cannot be kept. */
export function keyNotHere(text: string): KindError {
  return notHere(`Idempotency-Key: ${text}`);
}

export function secretRefusal(kindId: string): KindError {
  return keyNotHere(`a new unit of '${kindId}' has a secret, and its answer is not kept`);
}

function notHere(text: string): KindError {
  return refusal('idempotency.not_here', text, { parameter: KEY_HEADER });
}

/** @throws StoredRefusal if it was a refusal, KindError 409 if it was erased, 422 if the key was used for another request */
export function repeatedAnswer(earlier: EarlierAnswer, keyed: KeyedRequest): KeptAnswer {
  const { request, hash, status, content, headers } = earlier;
  if (status === ERASED_STATUS) throw refusal('idempotency.erased', 'The answer to this request was erased');
  if (request !== keyed.request || hash !== keyed.hash) {
    const differs = request === keyed.request ? 'body' : 'method, path or query';
    throw refusal('idempotency.mismatch', `This Idempotency-Key was used for a request with another ${differs}`);
  }
  if (status !== 200) throw new StoredRefusal(status, JSON.parse(content) as object[]);
  const kept = JSON.parse(headers ?? '{}') as KeptHeaders;
  return { answer: new Answer(content, kept.etag, kept.headers), given: kept };
}

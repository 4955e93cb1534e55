/** Receives contents: the body of a request, or the file of a form, goes to the store while it arrives. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { bodyStream } from '../http/body/body-stream.js';
import { withDigest } from '../http/body/content-digest.js';
import type { HttpRequest } from '../http/request/request.js';
import { CONTENT_FIELD } from '../model/built-in/file-fields.js';
import { type KindError, refusal, retryLater } from '../shared/errors.js';
import { parsedObject, typeName } from '../shared/json.js';
import { FairQueue, type FairQueueOptions } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import { MetricSources } from '../shared/metric-sources.js';
import { byteSizeText } from '../shared/texts.js';
import type { ContentRow } from '../sql/file/content.sql.js';
import { contentBytesStatement, type ContentBytesRow } from '../sql/file/files.sql.js';
import { type Caller, CallerResolver } from '../tenancy/caller.js';
import type { IsRepeat } from '../tenancy/request-bodies.js';
import type { Session } from '../catalog/session/session.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import { fileName } from './content/file-name.js';
import { formFile, isMultipart } from './multipart.js';
import { NewContents } from './new-contents.js';
import type { StoredContent } from './stored-content.js';

/** A content that has arrived, and what came with it. */
export interface Upload {
  readonly content: StoredContent;
  /** The values of the unit, with its name if one was given. */
  readonly values: Values;
}

/** What a request says of its content beside it. */
interface UploadQuery {
  readonly name?: string | undefined;
  /** An object in JSON. */
  readonly values?: string | undefined;
}

/** The file that gets another content. */
type Replaced = Pick<ContentRow, 'name' | 'bytes'>;

export interface Arrival {
  readonly query: UploadQuery;
  /** What the file has that gets another content. */
  readonly stored?: Replaced;
  readonly isRepeat: IsRepeat;
}

@Injectable()
export class Uploads {
  readonly #all: FairQueue;
  readonly #anonymous: FairQueue;

  constructor(
    private readonly contents: NewContents,
    private readonly quota: UnitQuota,
    private readonly callers: CallerResolver,
    @Inject(CONFIG) private readonly config: Config,
    metricSources: MetricSources,
  ) {
    const options: FairQueueOptions = {
      perKey: LIMITS.uploadsPerProject,
      maxWaitingPerKey: 0,
      concurrency: LIMITS.uploads,
      refusal: () => retryLater('server.busy', 'Other uploads of this project are under way', 5),
    };
    this.#all = new FairQueue(options);
    this.#anonymous = new FairQueue({ ...options, perKey: LIMITS.uploadsAnonymous });
    metricSources.addQueue('uploads', this.#all);
  }

  /**
   * Stores the content that a request brings. What is wrong with its head is refused before the body is read.
   * @throws KindError 400, 409 `project.full`, 413, 503
   */
  async receive(session: Session, request: HttpRequest, { query, stored, isRepeat }: Arrival): Promise<Upload> {
    const { caller, project } = session;
    const { headers } = request;
    const type = headers['content-type'];
    const isForm = isMultipart(type);
    const given = valuesOf(query.values);
    const name = nameIn(given, query.name);
    if (name === undefined && stored === undefined && !isForm) throw withoutName();
    const limit = this.limitOf(caller);
    const bytes = lengthOf(request, isForm ? limit + FORM_BYTES : limit, limit);
    await judged(isRepeat, () => this.#checkQuota(session, isForm ? 0 : (bytes ?? 0), stored));
    refuseEncoded(headers['content-encoding']);
    const body = withDigest(bodyStream(request, limit + FORM_BYTES), headers);
    const ifMatch = headers['if-match'];
    return this.inPlace(session, async () => {
      if (!isForm) {
        const expected = { limit, claimed: type, name: name ?? stored?.name, bytes, ifMatch };
        return { content: await this.contents.add(project, body, expected), values: named(given, name) };
      }
      const form = await formFile(body, type, LIMITS.formValues);
      const values = { ...given, ...valuesOf(form.values) };
      const own = nameIn(values, query.name ?? (stored === undefined ? form.name : undefined));
      if (own === undefined && stored === undefined) throw withoutName();
      const expected = { limit, claimed: form.claimed, name: own ?? stored?.name, ifMatch };
      return { content: await this.contents.add(project, form.content, expected), values: named(values, own) };
    });
  }

  /** Stores a content that does not come with a request. @throws KindError 400, 409 `project.full`, 413, 503 */
  async take(
    session: Session,
    source: AsyncIterable<Uint8Array>,
    claims: { readonly name: string; readonly claimed?: string | undefined },
  ): Promise<StoredContent> {
    const { project, caller } = session;
    await this.#checkQuota(session, 0, undefined);
    return this.inPlace(session, () => this.contents.add(project, source, { ...claims, limit: this.limitOf(caller) }));
  }

  /** What is certain before the body is read; the transaction looks again. @throws KindError 409 */
  async #checkQuota(session: Session, bytes: number, stored: Replaced | undefined): Promise<void> {
    const { project, executor } = session;
    if (!project.settings.storage) return;
    const [all] = await executor.run<ContentBytesRow>(contentBytesStatement(project.schema));
    const leaves = Number(stored?.bytes ?? 0);
    await this.quota.checkContents(session, Number(all?.total) - leaves + bytes, Number(all?.left) + leaves);
  }

  /** Bytes of a file that a caller uploads. */
  limitOf({ type }: Caller): number {
    const { fileLimit } = this.config;
    return type === 'anonymous' ? Math.min(fileLimit, LIMITS.fileAnonymous) : fileLimit;
  }

  /** A content may take hours to arrive, and its sender lose the session or the scope meanwhile. @throws KindError 401 */
  checkCaller({ caller, project }: Pick<Session, 'caller' | 'project'>): Promise<void> {
    return this.callers.checkStays(project, caller);
  }

  /** @throws KindError 503 where too many others are under way */
  inPlace<T>({ caller, project: { id } }: Pick<Session, 'caller' | 'project'>, work: () => Promise<T>): Promise<T> {
    const inPlace = (): Promise<T> => this.#all.run(id, work);
    return caller.type === 'anonymous' ? this.#anonymous.run(id, inPlace) : inPlace();
  }
}

/** Judges a request by what is stored now. One that was answered before was judged then: undefined if it would be refused. */
export async function judged<T>(isRepeat: IsRepeat, judge: () => Promise<T>): Promise<T | undefined> {
  try {
    return await judge();
  } catch (error) {
    if (await isRepeat()) return undefined;
    throw error;
  }
}

/** What a form has beside its file, in bytes. */
const FORM_BYTES = LIMITS.formValues + 64 * 1024;

type Values = Readonly<Record<string, unknown>>;

/** The name among the values, or the other one. @throws KindError 400 */
export function nameIn({ name = undefined }: Values, other: string | undefined): string | undefined {
  const given = name ?? other;
  if (given === undefined) return undefined;
  if (typeof given === 'string') return fileName(given);
  throw refusal('parameter.bad_type', `name: must be a text, got ${typeName(given)}`, { parameter: 'name' });
}

function withoutName(): KindError {
  return refusal(
    'parameter.required',
    'name: must be given, as in ?name=a.jpg; a body in JSON has the content-type application/json',
    { parameter: 'name' },
  );
}

function named(values: Values, name: string | undefined): Values {
  return name === undefined ? values : { ...values, name };
}

/** The values of the unit, which stand in JSON beside its content. @param refuse makes the refusal of a fault @throws KindError 400 */
export function valuesOf(text: string | undefined, refuse = badValues): Values {
  if (text === undefined) return {};
  const values = parsedObject(text);
  if (!values) throw refuse('values: wants a JSON object');
  if (Object.hasOwn(values, CONTENT_FIELD)) throw refuse(`values: the ${CONTENT_FIELD} is not among them`);
  return values;
}

function badValues(fault: string): Error {
  return refusal('query.bad_value', fault, { parameter: 'values' });
}

/** The length that a request announces. @param most that it may be @param limit of its file @throws KindError 413 */
function lengthOf({ headers }: HttpRequest, most: number, limit: number): number | undefined {
  const { 'content-length': length } = headers;
  if (length === undefined) return undefined;
  if (Number(length) > most) throw refusal('body.too_large', `A file has at most ${byteSizeText(limit)} here`);
  return Number(length);
}

/** @throws KindError 415 for a body that is not taken as it is sent */
export function refuseEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw refusal('body.not_json', 'A content is sent without content-encoding');
}

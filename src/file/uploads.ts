/** Receives contents: the body of a request, or the file of a form, goes to the store while it arrives. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { bodyStream } from '../http/body/body-stream.js';
import type { HttpRequest } from '../http/request/request.js';
import { refusal, retryLater } from '../shared/errors.js';
import { parsedObject } from '../shared/json.js';
import { FairQueue, type FairQueueOptions } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import { MetricSources } from '../shared/metric-sources.js';
import { byteSizeText } from '../shared/texts.js';
import type { Caller } from '../tenancy/caller.js';
import type { Session } from '../catalog/session/session.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import { fileName } from './content/file-name.js';
import { formFile, isMultipart } from './multipart.js';
import { Objects, type StoredContent } from './objects.js';

/** A content that has arrived, and what came with it. */
export interface Upload {
  readonly content: StoredContent;
  /** The values of the unit, with its name if one was given. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a request says of its content beside it. */
interface UploadQuery {
  readonly name?: string | undefined;
  /** An object in JSON. */
  readonly values?: string | undefined;
}

@Injectable()
export class Uploads {
  readonly #all: FairQueue;
  readonly #anonymous: FairQueue;

  constructor(
    private readonly objects: Objects,
    private readonly quota: UnitQuota,
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
  async receive(session: Session, request: HttpRequest, query: UploadQuery): Promise<Upload> {
    const { caller, project } = session;
    const limit = this.#limitOf(caller);
    const { headers } = request;
    const given = valuesOf(query.values);
    const name = query.name === undefined ? undefined : fileName(query.name);
    const length = lengthOf(request, limit);
    this.quota.checkStorage(session);
    if (isEncoded(headers['content-encoding'])) {
      throw refusal('body.not_json', 'A content is stored as it is sent: without content-encoding');
    }
    const digest = headers['content-digest'] as string | undefined;
    const ifMatch = headers['if-match'];
    return this.#inPlace(caller, project.id, async () => {
      const type = headers['content-type'];
      const body = bodyStream(request);
      if (!isMultipart(type)) {
        const expected = { limit, claimed: type, name, digest, bytes: length, ifMatch };
        const content = await this.objects.add(project, body, expected);
        return { content, values: named(given, name) };
      }
      const form = await formFile(body, type, LIMITS.formValues);
      const values = { ...given, ...valuesOf(form.values) };
      const named_ = values['name'] ?? name ?? form.name;
      const own = typeof named_ === 'string' ? fileName(named_) : undefined;
      const expected = { limit, claimed: form.claimed, name: own, digest, ifMatch };
      const content = await this.objects.add(project, form.content, expected);
      return { content, values: named(values, own) };
    });
  }

  #limitOf({ type }: Caller): number {
    const { fileLimit } = this.config;
    return type === 'anonymous' ? Math.min(fileLimit, LIMITS.fileAnonymous) : fileLimit;
  }

  #inPlace<T>({ type }: Caller, project: string, work: () => Promise<T>): Promise<T> {
    const inPlace = (): Promise<T> => this.#all.run(project, work);
    return type === 'anonymous' ? this.#anonymous.run(project, inPlace) : inPlace();
  }
}

function named(values: Readonly<Record<string, unknown>>, name: string | undefined) {
  return name === undefined ? values : { ...values, name };
}

/** @throws KindError 400 */
function valuesOf(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  const values = parsedObject(text);
  if (!values) throw refusal('query.bad_value', 'values: wants a JSON object', { parameter: 'values' });
  return values;
}

/** The length that a request announces. @throws KindError 413 */
function lengthOf({ headers }: HttpRequest, limit: number): number | undefined {
  const { 'content-length': length } = headers;
  if (length === undefined) return undefined;
  if (Number(length) > limit) throw refusal('body.too_large', `A file has at most ${byteSizeText(limit)} here`);
  return Number(length);
}

function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

/** Renders and compresses API documents on request, and caches them until the model changes. */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { checkMemberKind } from '../access/access.js';
import { rightsKeyOf } from '../access/masks.js';
import { Catalog } from '../catalog/catalog.service.js';
import { RELEASE } from '../config/release.js';
import type { Coding } from '../http/answer/content-coding.js';
import { encodedFile, storedFile, type StoredFile } from '../http/answer/static-file.js';
import { PublicAddress } from '../mail/public-address.js';
import type { Model } from '../model/model.js';
import { retryLater, KindError } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { MetricSources } from '../shared/metric-sources.js';
import { SharedLoads } from '../shared/shared-loads.js';
import type { Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { UnitStores } from '../unit/unit-stores.js';
import { clientCaller } from './client/client-caller.js';
import { clientTypes } from './client/client-types.js';
import { ApplicationRoutes } from './openapi/application.js';
import { DocumentedFunctions } from './openapi/documented-functions.js';
import { documentOf, genericDocument } from './openapi/document.js';
import type { DocumentInput } from './openapi/view.js';

/** Cache sizes of one process in bytes, for complete documents and for documents of some kinds. */
const CACHE_BYTES = { complete: 48 * 1024 * 1024, partial: 16 * 1024 * 1024 } as const;

/** A document, or the error that it would be too large. */
type CachedDocument = StoredFile | KindError;

/** The options of a request: the kinds to describe, all if undefined, and the compression. */
interface DocumentOptions {
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly coding?: Coding | undefined;
}

/** How a document is rendered and cached. */
interface DocumentSource {
  /** The parts of the cache key: everything that the content depends on, but not which member of a kind the caller is. */
  readonly key: readonly unknown[];
  /** The project whose turn in the queue it takes. */
  readonly project: string;
  readonly render: () => Promise<Buffer<ArrayBuffer>>;
  /** JSON if undefined. */
  readonly type?: string;
}

const INTRODUCTION = `Every record type of a project is a **kind**, every record a **unit**, every field a **parameter**.
Requests name their project in the header \`kind-project-key\`, and carry a bearer token where the kind is not public.
Every JSON answer is \`{content, messages}\`; \`messages\` is empty where all went well, and tells every fault where not.`;

@Injectable()
export class Documents {
  readonly #loads = new SharedLoads<StoredFile>();
  readonly #complete = documentCache(CACHE_BYTES.complete);
  readonly #partial = documentCache(CACHE_BYTES.partial);
  readonly #queue = new FairQueue({
    perKey: 1,
    concurrency: 2,
    maxWaitingPerKey: 50,
    maxWaiting: 500,
    refusal: documentQueueFull,
  });
  /** Numbers models, because after a restore two models may have the same version. */
  readonly #numbers = new WeakMap<Model, number>();
  #models = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly address: PublicAddress,
    private readonly functions: DocumentedFunctions,
    private readonly stores: UnitStores,
    private readonly application: ApplicationRoutes,
    metricSources: MetricSources,
  ) {
    metricSources.addQueue('API documents', this.#queue);
  }

  /** The document of the generic routes, without a project. */
  generic(options: DocumentOptions): Promise<StoredFile> {
    const info = { url: this.address.url, title: 'Kind', description: INTRODUCTION, version: RELEASE };
    const render = () => genericDocument(this.application.described, info, options.chosen);
    return this.#find({ key: ['generic', info.url], project: '', render }, options);
  }

  /**
   * The document of a project, with what the caller may see and do. @throws KindError 401, 400 for an unknown kind, 413
   */
  async ofProject({ project, caller }: RequestScope, options: DocumentOptions): Promise<StoredFile> {
    // Holds the project's place only until the model is loaded, so that other requests need not wait while a document
    // is rendered.
    const model = await this.catalog.withCheckedModel({ project }, (current) => {
      checkMemberKind(current, caller);
      return current;
    });
    const { url } = this.address;
    const functionsVersion = this.functions.source?.version(project) ?? '';
    const key = [project.id, project.label, this.#numberOf(model), rightsKeyOf(caller), functionsVersion, url];
    const render = () => {
      const description = `${INTRODUCTION}\n\nThis is the project **${project.id}**, version ${model.version} of its model, as you may use it.`;
      const info = { url, title: project.label, description, version: RELEASE };
      return documentOf({ ...this.#inputOf(project, model, caller), chosen: options.chosen }, info);
    };
    return this.#find({ key, project: project.id, render }, options);
  }

  /** `types.ts` of a client of the project. @param as whose; the caller's own if undefined @throws KindError 400, 401, 403 */
  async clientTypes({ project, caller }: RequestScope, as: string | undefined, coding?: Coding): Promise<StoredFile> {
    const { model, whose } = await this.catalog.withCheckedModel({ project }, (current) => {
      checkMemberKind(current, caller);
      return { model: current, whose: clientCaller(as, caller, current) };
    });
    const functionsVersion = this.functions.source?.version(project) ?? '';
    const rights = rightsKeyOf(whose.caller);
    const key = ['client', project.id, this.#numberOf(model), rights, whose.name, functionsVersion];
    const render = async () => Buffer.from(await clientTypes(this.#inputOf(project, model, whose.caller), whose.name));
    return this.#find({ key, project: project.id, render, type: 'text/plain; charset=utf-8' }, { coding });
  }

  #inputOf(project: Project, model: Model, caller: Caller): DocumentInput {
    const { source } = this.functions;
    return {
      application: this.application.described,
      model,
      caller,
      generic: false,
      project: project.id,
      functions: (kind) => source?.functionsOf(project, model, kind, caller) ?? [],
      fills: (kind) => source?.fills(project, kind) ?? new Set(),
      lacks: (kind, operation) => this.stores.of(kind).lacks(kind, project, operation),
    };
  }

  #numberOf(model: Model): number {
    const known = this.#numbers.get(model);
    if (known !== undefined) return known;
    this.#numbers.set(model, ++this.#models);
    return this.#models;
  }

  /** Documents of some kinds have a cache of their own, because they are many and would displace the complete ones. */
  #find(
    { key: parts, project, render, type = 'application/json; charset=utf-8' }: DocumentSource,
    { chosen, coding }: DocumentOptions,
  ): Promise<StoredFile> {
    const cache = chosen ? this.#partial : this.#complete;
    const key = JSON.stringify([...parts, chosen && [...chosen].sort()]);
    const uncompressed = () =>
      this.#load(cache, key, () => this.#queue.run(project, async () => storedFile(await render(), type)));
    if (coding === undefined) return uncompressed();
    return this.#load(cache, `${coding} ${key}`, async () => {
      const file = await uncompressed();
      return this.#queue.run(project, () => encodedFile(file, coding));
    });
  }

  /** Concurrent requests share one rendering. */
  async #load(
    cache: LRUCache<string, CachedDocument>,
    key: string,
    render: () => Promise<StoredFile>,
  ): Promise<StoredFile> {
    const known = cache.get(key);
    if (known instanceof KindError) throw known;
    if (known) return known;
    try {
      const file = await this.#loads.run(key, render);
      cache.set(key, file);
      return file;
    } catch (error) {
      // The error is cached too, because finding it takes as long as a document.
      if (error instanceof KindError && error.code === 'document.too_large') cache.set(key, error);
      throw error;
    }
  }
}

function documentCache(maxSize: number): LRUCache<string, CachedDocument> {
  return new LRUCache({ maxSize, sizeCalculation: cachedBytes });
}

function cachedBytes(cached: CachedDocument): number {
  return cached instanceof KindError ? 1024 : cached.bytes.length;
}

function documentQueueFull(): KindError {
  return retryLater('server.busy', 'More documents are asked for than can be made');
}

/** The documents, as they are served: made when they are asked for, kept while the model is the same. */
import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { checkMember } from '../access/access.js';
import { classOf } from '../access/masks.js';
import { Catalog } from '../catalog/catalog.service.js';
import { storedFile, type StoredFile } from '../http/stored-file.js';
import { PublicAddress } from '../mail/public-address.js';
import type { KindDef, Model } from '../model/model.js';
import type { Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Remotes, type RemoteOperation } from '../unit/remotes.js';
import { DocumentedFunctions } from './documented-functions.js';
import { documentOf, genericDocument } from './openapi/document.js';
import { loadFraming, type Framing } from './openapi/frame.js';
import type { OpenApiDocument } from './openapi/openapi.js';
import { renderDocument } from './openapi/render.js';

/** Bytes of the documents that one process keeps. */
const KEPT = 64 * 1024 * 1024;

const { version: RELEASE } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const GUIDE = `Every record type of a project is a **kind**, every record a **unit**, every field a **parameter**.
Requests name their project in the header \`kind-project-key\`, and carry a bearer token where the kind is not public.
Every JSON answer is \`{content, messages}\`; \`messages\` is empty where all went well, and tells every fault where not.`;

@Injectable()
export class Documents {
  readonly #making = new Map<string, Promise<StoredFile>>();
  readonly #kept = new LRUCache<string, StoredFile>({ maxSize: KEPT, sizeCalculation: ({ bytes }) => bytes.length });
  /** Models of one version are told apart: after a restore there is another one. */
  readonly #numbers = new WeakMap<Model, number>();
  #models = 0;
  #framing: Promise<Framing> | undefined;

  constructor(
    private readonly catalog: Catalog,
    private readonly address: PublicAddress,
    private readonly functions: DocumentedFunctions,
    private readonly remotes: Remotes,
  ) {}

  /** The document of the generic routes. */
  async generic(): Promise<StoredFile> {
    const framing = await this.#frame();
    const particulars = { url: this.address.url, title: 'Kind', description: GUIDE, version: RELEASE };
    return this.#keep(`generic ${particulars.url}`, () => genericDocument(framing, particulars));
  }

  /** The document of what a caller may see and do in a project. @throws KindError 401 */
  async ofProject({ project, caller }: RequestScope): Promise<StoredFile> {
    const framing = await this.#frame();
    // Only until the model is known: nobody of the project waits for a document to be made.
    const model = await this.catalog.withCheckedModel(project, (current) => {
      checkMember(current, caller);
      return current;
    });
    const { url } = this.address;
    const made = this.functions.source?.version(project) ?? '';
    const key = JSON.stringify([project.id, project.label, this.#numberOf(model), classesOf(caller), made, url]);
    return this.#keep(key, () => {
      const description = `${GUIDE}\n\nThis is the project **${project.id}**, version ${model.version} of its model, as you may use it.`;
      const particulars = { url, title: project.label, description, version: RELEASE };
      const functions = (kind: KindDef) => this.functions.source?.functionsOf(project, model, kind, caller) ?? [];
      const lacks = (kind: KindDef, operation: RemoteOperation) => this.remotes.lacks(kind, project, operation);
      return documentOf({ model, caller, generic: false, functions, lacks }, framing, particulars);
    });
  }

  #frame(): Promise<Framing> {
    return (this.#framing ??= loadFraming());
  }

  #numberOf(model: Model): number {
    const known = this.#numbers.get(model);
    if (known !== undefined) return known;
    this.#numbers.set(model, ++this.#models);
    return this.#models;
  }

  /** Whoever asks while it is made gets the same one. */
  async #keep(key: string, make: () => Promise<OpenApiDocument>): Promise<StoredFile> {
    const known = this.#kept.get(key) ?? this.#making.get(key);
    if (known) return known;
    const making = this.#make(make).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    const file = await making;
    this.#kept.set(key, file);
    return file;
  }

  async #make(make: () => Promise<OpenApiDocument>): Promise<StoredFile> {
    return storedFile(await renderDocument(await make()), 'application/json; charset=utf-8');
  }
}

/** Callers of whom the same is told: what rules let in depends on the kind of the member, not on who it is. */
function classesOf(caller: Caller): readonly string[] {
  return caller.type === 'member' ? [classOf(caller), caller.kindId] : [classOf(caller)];
}

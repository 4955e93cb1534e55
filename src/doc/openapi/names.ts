/**
 * Unique names of schemas, operations and tags. Client generators change case and punctuation, so names differ even
 * without these. Pure.
 */
import { createHash } from 'node:crypto';

/** A name without case and punctuation. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** Assigns unique names; an assigned name never changes. */
export class DistinctNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(bareName));
  }

  /**
   * Returns the first name that is free, otherwise the last one with a digest, which is always the same for that name.
   */
  take(...wishes: readonly [string, ...string[]]): string {
    const isFree = (name: string) => !this.#taken.has(bareName(name));
    const name = wishes.find(isFree) ?? withDigest(wishes.at(-1) ?? '').find(isFree);
    if (name === undefined) throw new Error(`no name is left for '${wishes.join("', '")}'`);
    this.#taken.add(bareName(name));
    return name;
  }
}

/** The name with increasing lengths of its digest. */
function withDigest(name: string): string[] {
  const digest = createHash('sha256').update(name).digest('hex');
  return Array.from({ length: digest.length - 3 }, (_, at) => `${name}_${digest.slice(0, at + 4)}`);
}

/**
 * The suffixes of a kind's schemas and responses. No built-in name ends in one of them, so ids of kinds cannot collide
 * with built-in names.
 */
export const SCHEMA_FORMS = ['record', 'answer', 'page', 'create', 'update', 'created', 'created_many'] as const;
export type SchemaForm = (typeof SCHEMA_FORMS)[number];

/** The suffixes of the schemas of a link type. None ends in another, without punctuation, nor in those of kinds. */
export type LinkForm = 'link' | 'link_step' | 'link_body' | 'link_changes' | 'links_body';

/** What ids of link types would make of themselves in names of the document's own. */
const NO_LINK_STEMS = ['kind', 'any'];

/** The prefix of built-in schemas, which ids of users' kinds cannot have. */
export const BUILT_IN_PREFIX = 'kind_';

export class KindNames {
  readonly #stems = new Map<string, string>();
  readonly #tags = new Map<string, string>();
  readonly #functions = new DistinctNames();
  readonly #linkStems = new Map<string, string>();

  /**
   * @param ids of all kinds that the document may name, oldest first: older kinds keep their names
   * @param linkTypes those that it names, oldest first
   */
  constructor(ids: Iterable<string>, builtInTags: Iterable<string>, linkTypes: Iterable<string> = []) {
    const linkStems = new DistinctNames(NO_LINK_STEMS);
    for (const id of linkTypes) this.#linkStems.set(id, linkStems.take(id));
    const [stems, tags] = [new DistinctNames(), new DistinctNames(builtInTags)];
    for (const id of ids) {
      const stem = stems.take(id);
      this.#stems.set(id, stem);
      this.#tags.set(id, tags.take(stem, `${stem} (kind)`));
    }
  }

  /** Whether the document contains the kind. */
  has(kindId: string): boolean {
    return this.#stems.has(kindId);
  }

  schema(kindId: string, form: SchemaForm): string {
    return `${this.#stemOf(kindId)}.${form}`;
  }

  linkSchema(linkId: string, form: LinkForm): string {
    return `${this.#linkStems.get(linkId) ?? linkId}.${form}`;
  }

  linkOperation(linkId: string, what: string): string {
    return `${this.#linkStems.get(linkId) ?? linkId}.${what}`;
  }

  operation(kindId: string, routeId: string): string {
    return `${this.#stemOf(kindId)}.${routeId}`;
  }

  /**
   * The operation id of a custom function, whose name may differ from another only by case. Call it once per document.
   */
  functionOperation(kindId: string, routeId: string, name: string): string {
    const [scope, verb] = routeId.split('.');
    return this.#functions.take(`${this.#stemOf(kindId)}.${scope}.${name}.${verb}`);
  }

  tag(kindId: string): string {
    return this.#tags.get(kindId) ?? kindId;
  }

  #stemOf(kindId: string): string {
    return this.#stems.get(kindId) ?? kindId;
  }
}

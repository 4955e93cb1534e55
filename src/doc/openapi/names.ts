/**
 * The names of a document: of its schemas, operations and tags. Generators of clients write them in other ways, with
 * capitals or underscores, so no two are the same without regard to case and punctuation. Pure.
 */
import { createHash } from 'node:crypto';

/** What is left of a name where case and punctuation count for nothing. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** Gives out names; one that was given stays as it is, whatever comes later. */
export class DistinctNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(bareName));
  }

  /** The first wish that is free; where none is, the last one with a part that is always the same for it. */
  take(...wishes: readonly [string, ...string[]]): string {
    const isFree = (name: string) => !this.#taken.has(bareName(name));
    const name = wishes.find(isFree) ?? withDigest(wishes.at(-1) ?? '').find(isFree);
    if (name === undefined) throw new Error(`no name is left for '${wishes.join("', '")}'`);
    this.#taken.add(bareName(name));
    return name;
  }
}

/** A name with more and more of its digest. */
function withDigest(name: string): string[] {
  const digest = createHash('sha256').update(name).digest('hex');
  return Array.from({ length: digest.length - 3 }, (_, at) => `${name}_${digest.slice(0, at + 4)}`);
}

/**
 * What a schema of a kind is of, or a response (`answer`). Every name of a component of a kind ends in one of these, and
 * none of the built-in ones does: so they are apart, whatever ids kinds have.
 */
export const SCHEMA_FORMS = ['record', 'answer', 'page', 'create', 'update'] as const;
export type SchemaForm = (typeof SCHEMA_FORMS)[number];

/** What the names of built-in schemas begin with; ids of kinds that do belong to the system. */
export const BUILT_IN_PREFIX = 'kind_';

export class KindNames {
  readonly #stems = new Map<string, string>();
  readonly #tags = new Map<string, string>();
  readonly #functions = new DistinctNames();

  /** @param ids of all kinds that the document could name, in the order in which they were made: the older keeps its name */
  constructor(ids: Iterable<string>, builtInTags: Iterable<string>) {
    const [stems, tags] = [new DistinctNames(), new DistinctNames(builtInTags)];
    for (const id of ids) {
      const stem = stems.take(id);
      this.#stems.set(id, stem);
      this.#tags.set(id, tags.take(stem, `${stem} (kind)`));
    }
  }

  /** Whether anything of the kind is shown. */
  has(kindId: string): boolean {
    return this.#stems.has(kindId);
  }

  schema(kindId: string, form: SchemaForm): string {
    return `${this.#stemOf(kindId)}.${form}`;
  }

  operation(kindId: string, routeId: string): string {
    return `${this.#stemOf(kindId)}.${routeId}`;
  }

  /** Of a custom function; names of functions differ by case. To be asked once in a document. */
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

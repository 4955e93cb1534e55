/** Finds the units, and the ends of links, that an answer shows. Pure. */
import type { Model } from '../model/model.js';
import { isPlainObject } from '../shared/json.js';

/** A unit in an answer: what it shows of it. */
export interface AnsweredUnit {
  readonly kindId: string;
  readonly id: string;
  /** Undefined for an end of a link. */
  readonly values?: Record<string, unknown>;
}

/** Names of a unit in a traversal that are no fields, and whose ids are those of units in the same answer. */
const STEP = 'link';
const LOADED_LINKS = 'links';

export class AnswerUnits {
  readonly found: AnsweredUnit[] = [];
  /** Whether there are values in the answer without the id of their unit: of an aggregation, or by `include`. */
  hasOthers = false;

  constructor(private readonly model: Model) {}

  /** @param content of an answer */
  add(content: unknown): void {
    const isNumber = isPlainObject(content) && 'count' in content && Object.keys(content).length === 1;
    if (!isNumber) this.#add(content);
  }

  #add(part: unknown): void {
    if (Array.isArray(part)) for (const each of part as unknown[]) this.#add(each);
    else if (isPlainObject(part)) this.#addObject(part);
  }

  #addObject(part: Record<string, unknown>): void {
    const { id, kind_id: kindId, items } = part;
    if (typeof id === 'string' && typeof kindId === 'string') this.#addUnit(kindId, id, part);
    else if (typeof part['parent_kind_id'] === 'string') this.#addLink(part);
    else if (Array.isArray(items)) this.#add(items);
    else this.hasOthers = true;
  }

  #addUnit(kindId: string, id: string, values: Record<string, unknown>): void {
    this.found.push({ kindId, id, values });
    const kind = this.model.kinds.get(kindId);
    for (const [name, value] of Object.entries(values)) {
      if (name === STEP || kind?.fields.has(name)) continue;
      if (name !== LOADED_LINKS) this.#add(value);
      else if (isPlainObject(value)) for (const byType of Object.values(value)) this.#addLists(byType);
    }
  }

  /** The linked units of each link type, or their numbers. */
  #addLists(byType: unknown): void {
    if (isPlainObject(byType)) for (const list of Object.values(byType)) this.#add(list);
  }

  #addLink(link: Record<string, unknown>): void {
    for (const end of ['parent', 'child']) {
      const { [`${end}_kind_id`]: kindId, [`${end}_id`]: id } = link;
      if (typeof kindId === 'string' && typeof id === 'string') this.found.push({ kindId, id });
    }
  }
}

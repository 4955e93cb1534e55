/**
 * An answer that was kept shows what its caller could read then. Before it is repeated, this leaves out of it what the
 * caller may no longer read, with the rules as they hold for the units now. Answers of functions are their authors'.
 */
import { Injectable } from '@nestjs/common';
import { accessDenied, grantOf } from '../access/access.js';
import type { Grant } from '../access/level.js';
import { readableFields } from '../access/masks.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { parseBody } from '../http/body/read-body.js';
import type { Field, KindDef, Model } from '../model/model.js';
import { conditionOf, isConditional } from '../model/predicate/conditional-field.js';
import { conjunction, type Predicate } from '../model/predicate/predicate.js';
import { getOrInsert } from '../shared/maps.js';
import { existingStatement } from '../sql/write/reference.sql.js';
import type { Opened } from '../run/command.js';
import { AnswerMask, type MaskedRequest } from '../run/keyed-run.js';
import { isPlainObject } from '../shared/json.js';

/** The content of an answer, or of one operation of a batch. */
interface Part {
  readonly url: string;
  readonly content: unknown;
}

const PREFIX = '/api/lib';
const BATCH = '/batch';
/** Of functions, and of imports, which show no units. */
const WITHOUT_UNITS = /^\/[^/?]+(?:(?:\/unit\/[^/?]+)?\/function(?:\/|$)|\/import(?:\?|$))/;
/** Units, one of them, or groups of units of one kind. */
const OF_KIND = /^\/([^/?]+)\/(?:unit(?:\/[^/?]+)?|aggregate)(?:\?|$)/;
/** A query that reads other units: dotted paths, and functions over related units. */
const READS_OTHERS = /\.[a-z_]|(?:exists|related|linked|load_links)/;

@Injectable()
export class KeptAnswerMask extends AnswerMask {
  constructor(private readonly database: Database) {
    super();
  }

  /** @throws KindError 403 if the caller may not read it any more, and parts of it cannot be left out */
  async readable(scope: Opened, answer: Answer, request: MaskedRequest): Promise<Answer> {
    const content = await readJson(answer.content, scope.project.schema);
    const parts = (await partsOf(content, request, scope)).filter(({ url }) => !WITHOUT_UNITS.test(url));
    const units = new AnswerUnits(scope.model);
    for (const part of parts) {
      units.hasOthers = false;
      units.add(part.content);
      if (units.hasOthers && !isOpen(part.url, scope, request)) throw noLongerReadable(scope);
    }
    const byKind = new Map<string, AnsweredUnit[]>();
    for (const unit of units.found) getOrInsert(byKind, unit.kindId, () => []).push(unit);
    let changed = false;
    for (const [kindId, found] of byKind) {
      const kind = scope.model.kinds.get(kindId);
      if (await new Masking(this.database, scope, kind, found).apply()) changed = true;
    }
    return changed ? new Answer(JSON.stringify(content), answer.etag, answer.headers) : answer;
  }
}

async function partsOf(content: unknown, { url, body }: MaskedRequest, { project }: Opened): Promise<readonly Part[]> {
  if (withoutPrefix(url) !== BATCH) return [{ url: withoutPrefix(url), content }];
  const given = (await parseBody(body, 'application/json', project.schema)) as { operations: { path: string }[] };
  const { items } = content as { items: { content: unknown }[] };
  return items.map((item, at) => ({ url: given.operations[at]?.path ?? '', content: item.content }));
}

function withoutPrefix(url: string): string {
  return url.startsWith(PREFIX) ? url.slice(PREFIX.length) : url;
}

/** Whether an answer without the ids of its units shows only what the caller may read of every unit, now as then. */
function isOpen(url: string, scope: Opened, { modelVersion }: MaskedRequest): boolean {
  const [, kindId = ''] = OF_KIND.exec(url) ?? [];
  const kind = scope.model.kinds.get(kindId);
  if (!kind || modelVersion !== scope.model.version || READS_OTHERS.test(url)) return false;
  return readsAll(kind, scope);
}

/** Whether no rule depends on the unit. */
function readsAll(kind: KindDef, { caller, model }: Opened): boolean {
  const grant = grantOf(kind, 'read', caller, model);
  return (
    grant !== undefined && !grant.predicate && ![...readableFields(kind, caller, model).values()].some(isConditional)
  );
}

function noLongerReadable({ caller }: Opened) {
  return accessDenied(caller, 'It was done, but you may no longer read all that was answered');
}

/** Leaves out of units of one kind what the caller may not read. */
class Masking {
  readonly #grant: Grant | undefined;
  readonly #readable: ReadonlyMap<string, Field>;
  /** The units that match a condition of a field, or none; undefined for all of them. */
  readonly #visible = new Map<Predicate | undefined, ReadonlySet<string> | undefined>();

  /** @param kind undefined if it is gone @param units of the kind */
  constructor(
    private readonly database: Database,
    private readonly scope: Opened,
    private readonly kind: KindDef | undefined,
    private readonly units: readonly AnsweredUnit[],
  ) {
    const { caller, model } = scope;
    this.#grant = kind && grantOf(kind, 'read', caller, model);
    this.#readable = kind && this.#grant ? readableFields(kind, caller, model) : new Map<string, Field>();
  }

  /** Returns whether anything was left out. @throws KindError 403 for an end of a link */
  async apply(): Promise<boolean> {
    let changed = false;
    for (const { id, values } of this.units) {
      const seen = await this.#mayRead(id);
      if (!values && !seen) throw noLongerReadable(this.scope);
      for (const name of Object.keys(values ?? {})) {
        if (name === 'id' || name === 'kind_id' || (seen && (await this.#shows(id, name)))) continue;
        delete values?.[name];
        changed = true;
      }
    }
    return changed;
  }

  async #shows(id: string, name: string): Promise<boolean> {
    if (!this.kind?.fields.has(name)) return this.#mayFollow(name);
    const field = this.#readable.get(name);
    const condition = field && conditionOf(field);
    return field !== undefined && (condition === undefined || this.#mayRead(id, condition));
  }

  async #mayRead(id: string, condition?: Predicate): Promise<boolean> {
    if (!this.#grant) return false;
    if (!this.#visible.has(condition)) this.#visible.set(condition, await this.#find(condition));
    return this.#visible.get(condition)?.has(id) ?? true;
  }

  /** Units that are gone are found only where no rule has to be tested. */
  async #find(condition: Predicate | undefined): Promise<ReadonlySet<string> | undefined> {
    const { kind, database, scope } = this;
    const predicate = conjunction(this.#grant?.predicate, condition);
    if (!kind || !predicate) return undefined;
    const ids = [...new Set(this.units.map(({ id }) => id))];
    const rows = await database.run<{ id: string }>(existingStatement(scope.project.schema, kind, ids, predicate));
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether a name that is no field is that of no other unit, or of one of kinds without rules. */
  #mayFollow(name: string): boolean {
    const { caller, model } = this.scope;
    const steps = name.split('.').slice(0, -1);
    let { kind } = this;
    for (const step of steps) {
      const target = kind?.fields.get(step)?.reference?.kind;
      kind = target === undefined ? undefined : model.kinds.get(target);
      if (!kind || !readsAll(kind, this.scope)) return false;
    }
    const last = name.slice(name.lastIndexOf('.') + 1);
    return steps.length === 0 || (kind !== undefined && readableFields(kind, caller, model).has(last));
  }
}

/** A unit in an answer: what it shows of it. */
interface AnsweredUnit {
  readonly kindId: string;
  readonly id: string;
  /** Undefined for an end of a link. */
  readonly values?: Record<string, unknown>;
}

/** Names of a unit in a traversal that are no fields, and whose ids are those of units in the same answer. */
const STEP = 'link';
const LOADED_LINKS = 'links';

class AnswerUnits {
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

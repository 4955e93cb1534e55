/**
 * An answer that was kept shows what its caller could read then. Of units and links this leaves out what the caller may no
 * longer read, with the rules as they hold now. Other answers are repeated unchanged if nothing in them can be hidden from
 * the caller, and refused otherwise: what they show of which unit is not known. Answers of functions are their authors'.
 */
import { Injectable } from '@nestjs/common';
import { accessSettingOf, grantOf } from '../access/access.js';
import { readsByFieldRules } from '../access/field-rules.js';
import { accessDenied, type Grant } from '../access/level.js';
import { readableFields, rightsKeyOf } from '../access/masks.js';
import { AnswerMask, type KeptCircumstances, type RepeatedAnswer } from '../catalog/session/kept-answer.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { RESERVED_LINK_PARAMETERS } from '../model/build/link-types.js';
import type { Field, KindDef } from '../model/model.js';
import { conditionOf } from '../model/predicate/conditional-field.js';
import { conjunction, type Predicate } from '../model/predicate/predicate.js';
import type { Opened } from '../run/command.js';
import { isPlainObject } from '../shared/json.js';
import { getOrInsert } from '../shared/maps.js';
import { existingStatement } from '../sql/write/reference.sql.js';
import { isAdministrator, knowsWholeProject } from '../tenancy/caller.js';
import { readableLinkFields } from './query/reachable-kinds.js';

@Injectable()
export class KeptAnswerMask extends AnswerMask {
  constructor(private readonly database: Database) {
    super();
  }

  /** @throws KindError 403 if the caller may not read it any more, and parts of it cannot be left out */
  async readable(scope: Opened, { answer, given, isChecked }: RepeatedAnswer): Promise<Answer> {
    const content = await readJson(answer.content, scope.project.schema);
    const asItWas = isAsItWas(scope, given);
    const shown = new ShownUnits(scope);
    for (const [at, { shows, part }] of partsOf(content, given).entries()) {
      if (shows === 'free' ? isChecked(at) : asItWas) continue;
      if (shows === 'units') shown.addUnits(part);
      else if (shows === 'links') shown.addLinks(part);
      else if (!knowsWholeProject(scope.caller)) throw noLongerReadable(scope);
    }
    let { changed } = shown;
    for (const [kindId, units] of shown.byKind) {
      const kind = scope.model.kinds.get(kindId);
      if (await new Masking(this.database, scope, kind, units).apply()) changed = true;
    }
    return changed ? new Answer(JSON.stringify(content), answer.etag, answer.headers) : answer;
  }
}

/** The answers of the operations of a batch, or the one answer. */
function partsOf(content: unknown, { shows }: KeptCircumstances) {
  if (shows === undefined || typeof shows === 'string') return [{ shows, part: content }];
  const { items } = content as { items: { content: unknown }[] };
  return items.map((item, at) => ({ shows: shows[at], part: item.content }));
}

/** Whether the caller reads as then: with the same definitions and rights, and no rule that depends on units. */
function isAsItWas({ model, caller }: Opened, given: KeptCircumstances): boolean {
  if (given.model !== model.version || given.rights !== rightsKeyOf(caller)) return false;
  if (isAdministrator(caller)) return true;
  const hasRules = (kind: KindDef): boolean => {
    const setting = accessSettingOf(kind, 'read', model);
    // What rules of the system depend on never changes.
    return ('rules' in setting && setting.stored) || readsByFieldRules(kind, caller);
  };
  return ![...model.kinds.values(), ...[...model.linkTypes.values()].map(({ values }) => values)].some(hasRules);
}

function noLongerReadable({ caller }: Opened) {
  return accessDenied(caller, 'It was done, but you may no longer read all that was answered');
}

/** A unit in an answer: what it shows of it. */
interface ShownUnit {
  readonly id: string;
  /** Undefined for an end of a link. */
  readonly values?: Record<string, unknown>;
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
    private readonly units: readonly ShownUnit[],
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
    const field = this.#readable.get(name);
    // Whether a definition shows a value is said by another one.
    if (!field || field.shownWhere) return false;
    const condition = conditionOf(field);
    return condition === undefined || this.#mayRead(id, condition);
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
}

/** Collects units, and the ends of links, of answers that show nothing else. */
class ShownUnits {
  readonly byKind = new Map<string, ShownUnit[]>();
  /** Whether values of a link were left out. */
  changed = false;

  constructor(private readonly scope: Opened) {}

  /** @throws KindError 403 for what is no unit, no list of units, and no number of them */
  addUnits(part: unknown): void {
    for (const unit of listed(part)) {
      if (!isPlainObject(unit)) throw noLongerReadable(this.scope);
      this.#add(unit['kind_id'], unit['id'], unit);
    }
  }

  /** Leaves values of links out, of which the caller may not read all. */
  addLinks(part: unknown): void {
    for (const link of listed(part)) {
      if (!isPlainObject(link)) throw noLongerReadable(this.scope);
      for (const end of ['parent', 'child']) this.#add(link[`${end}_kind_id`], link[`${end}_id`]);
      const { caller, model } = this.scope;
      const type = model.linkTypes.get(String(link['link_id']));
      const readable = type ? readableLinkFields(type, caller, model).filter((field) => !conditionOf(field)) : [];
      for (const name of Object.keys(link)) {
        if (RESERVED_LINK_PARAMETERS.has(name) || readable.some(({ id }) => id === name)) continue;
        delete link[name];
        this.changed = true;
      }
    }
  }

  #add(kindId: unknown, id: unknown, values?: Record<string, unknown>): void {
    if (typeof kindId !== 'string' || typeof id !== 'string') throw noLongerReadable(this.scope);
    getOrInsert(this.byKind, kindId, () => []).push({ id, ...(values && { values }) });
  }
}

/** The units or links of an answer without a query that changes its form. */
function listed(part: unknown): unknown[] {
  if (part === null) return [];
  if (!isPlainObject(part) || 'id' in part || 'link_id' in part) return [part];
  const { count, items, ...more } = part;
  if (items === undefined && Object.keys(more).length === 0 && count !== undefined) return [];
  return Array.isArray(items) ? items : [part];
}

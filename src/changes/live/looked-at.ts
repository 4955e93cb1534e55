/** What a list looks at beyond its units: a change there may change the list. Pure. */
import type { KindDef } from '../../model/model.js';
import { conditionOf } from '../../model/predicate/conditional-field.js';
import {
  isMemberValue,
  operandsOf,
  sourcesOf,
  testsOf,
  type Predicate,
  type Related,
  type Target,
} from '../../model/predicate/predicate.js';
import { hasMoment } from '../../model/predicate/related.js';
import { targetsOfOrder } from '../../sql/list/order.sql.js';
import type { ListPlan } from '../../sql/list/select.sql.js';
import { testsOfRights } from '../../sql/list/unit-rights.sql.js';

export class LookedAt {
  /** Kinds, by their ids, any change of whose units counts. */
  readonly units = new Map<string, KindDef>();
  /** Kinds whose links to children count. */
  readonly links = new Map<string, KindDef>();
  /** The kinds of the calling member, whose own unit counts. */
  readonly members = new Map<string, KindDef>();
  /** Whether a rule compares with the time of now. */
  hasMoment = false;

  constructor({ access, filter, order, fields, paths = [], related = [], can }: ListPlan) {
    for (const each of [access, filter, ...fields.map(conditionOf), ...(can ? testsOfRights(can) : [])]) {
      this.#predicate(each);
    }
    for (const { value } of order) for (const target of targetsOfOrder(value)) this.#target(target);
    for (const { target } of paths) this.#target(target);
    for (const each of related) this.#related(each.related);
  }

  get kinds(): readonly KindDef[] {
    return [...new Set([...this.units.values(), ...this.links.values(), ...this.members.values()])];
  }

  #predicate(predicate: Predicate | undefined): void {
    this.hasMoment ||= predicate !== undefined && hasMoment(predicate);
    for (const test of predicate ? testsOf(predicate) : []) {
      if (test.op === 'exists') this.#related(test.related);
      if ('target' in test) for (const target of operandsOf(test)) this.#target(target);
      if (test.op === 'present') this.#add(this.members, test.value.kind);
      if (test.op === 'member') {
        for (const value of test.values) if (isMemberValue(value)) this.#add(this.members, value.kind);
      }
    }
  }

  #target(target: Target): void {
    for (const { field, through = [], counted } of sourcesOf(target)) {
      for (const { kind, access } of through) {
        this.#add(this.units, kind);
        this.#predicate(access);
      }
      this.#predicate(conditionOf(field));
      if (counted) this.#related(counted);
    }
  }

  #related({ via, of, kinds, summed }: Related): void {
    if (via.type === 'link') {
      this.#predicate(via.where);
      // A link is a change of its parent.
      const parents = via.direction === 'child' ? [of] : kinds.map(({ kind }) => kind);
      for (const kind of parents) this.#add(this.links, kind);
    }
    if (via.type === 'links') for (const kind of [of, ...kinds.map((each) => each.kind)]) this.#add(this.links, kind);
    for (const { kind, access, filter } of kinds) {
      if (via.type === 'member') this.#add(this.members, kind);
      // Where any link will do, the units at its other end are not looked at.
      else if (via.type !== 'link' || !via.everyKind) this.#add(this.units, kind);
      this.#predicate(access);
      this.#predicate(filter);
    }
    if (summed) this.#target(summed);
  }

  #add(to: Map<string, KindDef>, kind: KindDef): void {
    to.set(kind.id, kind);
  }
}

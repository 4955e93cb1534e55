/**
 * What comes before the transaction of a write: behaviors get the bodies of their kinds, also those of units inside
 * others. Where a body has faults, they leave it to the write, which says what they are.
 */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import type { Session } from '../catalog/session/session.js';
import { parseBody, ParsedBody, type ReceivedBody } from '../http/body/read-body.js';
import { FunctionError } from '../kit/function-error.js';
import { referencesOf, type KindDef, type Model } from '../model/model.js';
import { KindError, prefixError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { getOrInsert } from '../shared/maps.js';
import { Behaviors, type WriteAhead } from './draft/behavior.js';
import { bodyOf } from './draft/draft.js';
import { nestedBodies } from './draft/nested-units.js';
import { relocateFunctionError, withPosition } from './draft/refusal-position.js';

type Values = Readonly<Record<string, unknown>>;

/** A body, and where it stands. */
interface PlacedBody {
  readonly write: WriteAhead;
  /** The references from the outermost body to this one. */
  readonly path: readonly string[];
  readonly index?: number;
}

@Injectable()
export class WritesAhead {
  readonly #concerned = new WeakMap<KindDef, boolean>();

  constructor(private readonly behaviors: Behaviors) {}

  /** Whether there is something to do for a unit of a kind, or for units that may be inside it. */
  concern(kind: KindDef, { kinds }: Model): boolean {
    return getOrInsert(this.#concerned, kind, () => {
      const seen = new Set([kind]);
      for (const each of seen) {
        if (this.behaviors.haveAhead(each)) return true;
        for (const { reference } of referencesOf(each)) {
          const target = kinds.get(reference?.kind ?? '');
          if (target) seen.add(target);
        }
      }
      return false;
    });
  }

  /** The body with what takes the place of its values. */
  async of(body: ReceivedBody, contentType: string | undefined, write: WriteAhead): Promise<ReceivedBody> {
    const value = await parsed(body, contentType, write.session);
    return value === undefined ? body : new ParsedBody(await this.#all(value, write));
  }

  /** What is changed is copied. */
  async #all(value: unknown, write: WriteAhead): Promise<unknown> {
    if (isPlainObject(value)) return this.#body(value, { write, path: [] });
    if (!Array.isArray(value) || !write.kind.storage.bulk || value.length > LIMITS.bulk) return value;
    const acts = this.behaviors.haveAhead(write.kind);
    let list: unknown[] | undefined;
    for (const [index, given] of (value as unknown[]).entries()) {
      if (!isPlainObject(given) || !(acts || nestedBodies(write.kind, bodyOf(given)).length > 0)) continue;
      const body = await this.#body(given, { write, path: [], index });
      if (body !== given) (list ??= [...(value as unknown[])])[index] = body;
    }
    return list ?? value;
  }

  async #body(given: Values, placed: PlacedBody): Promise<Values> {
    const { write, path } = placed;
    const { kind, session } = write;
    let body = given;
    for (const { field, value } of path.length < LIMITS.references ? nestedBodies(kind, bodyOf(given)) : []) {
      const inner = insideOf(write, field.reference?.kind);
      if (!inner) continue;
      const changed = await this.#body(value, { ...placed, write: inner, path: [...path, field.id] });
      if (changed !== value) body = { ...body, [field.id]: changed };
    }
    for (const behavior of this.behaviors.of(kind, session)) {
      const changed = await located(placed, async () => behavior.ahead?.(bodyOf(body), write));
      if (changed) body = { ...body, ...changed };
    }
    return body;
  }
}

/** Undefined where the body has faults. */
async function parsed(body: ReceivedBody, contentType: string | undefined, { project }: Session): Promise<unknown> {
  try {
    return await parseBody(body, contentType, project.schema);
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

/** The write of a unit inside another one; undefined where the caller may not create it. */
function insideOf({ session, write }: WriteAhead, kindId = ''): WriteAhead | undefined {
  try {
    const { kind, grant } = authorizeKind(session.model, kindId, 'create', session.caller);
    return { kind, session, write, conditions: { access: grant.predicate } };
  } catch (error) {
    if (error instanceof KindError) return undefined;
    throw error;
  }
}

/** Adds the position to refusals. */
async function located<T>({ path, index }: PlacedBody, work: () => Promise<T>): Promise<T> {
  const place = index === undefined ? {} : { index };
  if (path.length === 0) return withPosition(place, work);
  const at = path.join('.');
  try {
    return await work();
  } catch (error) {
    if (error instanceof FunctionError) throw relocateFunctionError(error, { path: at, ...place });
    throw error instanceof KindError && error.status < 500 ? prefixError(error, at, place) : error;
  }
}

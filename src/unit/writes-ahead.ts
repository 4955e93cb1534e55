/**
 * What comes before the transaction of a write: behaviors get the bodies of their kinds, also those of units inside
 * others. Where a body has faults, they leave it to the write, which says what they are.
 */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import type { Session } from '../catalog/session/session.js';
import { FunctionError } from '../kit/function-error.js';
import { referencesOf, type KindDef } from '../model/model.js';
import { KindError, prefixError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { Behaviors, type WriteAhead } from './draft/behavior.js';
import { bodyOf } from './draft/draft.js';
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
  constructor(private readonly behaviors: Behaviors) {}

  /** Whether there is something to do for a unit of a kind, or for units that may be inside it. */
  concern(kind: KindDef, opened: Pick<Session, 'model' | 'project' | 'deployment'>): boolean {
    const concerned = this.behaviors.aheadKinds(opened);
    if (concerned.length === 0) return false;
    const seen = new Set([kind]);
    for (const each of seen) {
      if (concerned.includes(each.id)) return true;
      for (const { reference } of referencesOf(each)) {
        const target = opened.model.kinds.get(reference?.kind ?? '');
        if (target) seen.add(target);
      }
    }
    return false;
  }

  /**
   * @param value a body, or a list of them; what is changed is copied
   * @returns the same value where nothing is changed, and what is called when the write has ended
   */
  async of(
    value: unknown,
    write: Omit<WriteAhead, 'onEnd'>,
  ): Promise<{ readonly changed: unknown; readonly end: () => void }> {
    const ends: (() => void)[] = [];
    const end = (): void => ends.forEach((each) => each());
    try {
      const changed = await this.#all(value, { ...write, onEnd: (each) => void ends.push(each) });
      return { changed, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  async #all(value: unknown, write: WriteAhead): Promise<unknown> {
    if (isPlainObject(value)) return this.#body(value, { write, path: [] });
    if (!Array.isArray(value) || !write.kind.storage.bulk || value.length > LIMITS.bulk) return value;
    let list: unknown[] | undefined;
    for (const [index, given] of (value as unknown[]).entries()) {
      if (!isPlainObject(given)) continue;
      const body = await this.#body(given, { write, path: [], index });
      if (body !== given) (list ??= [...(value as unknown[])])[index] = body;
    }
    return list ?? value;
  }

  async #body(given: Values, placed: PlacedBody): Promise<Values> {
    const { write, path } = placed;
    const { kind, session } = write;
    let body = given;
    for (const { id, reference } of path.length < LIMITS.references ? referencesOf(kind) : []) {
      const value = Object.hasOwn(given, id) ? given[id] : undefined;
      const inner = isPlainObject(value) && insideOf(write, reference?.kind);
      if (!inner) continue;
      const changed = await this.#body(value, { ...placed, write: inner, path: [...path, id] });
      if (changed !== value) body = { ...body, [id]: changed };
    }
    for (const behavior of this.behaviors.of(kind, session)) {
      const changed = await located(placed, async () => behavior.ahead?.(bodyOf(body), write));
      if (changed) body = { ...body, ...changed };
    }
    return body;
  }
}

/** The write of a unit inside another one; undefined where the caller may not create it. */
function insideOf({ session, onEnd }: WriteAhead, kindId = ''): WriteAhead | undefined {
  try {
    const { kind, grant } = authorizeKind(session.model, kindId, 'create', session.caller);
    return { kind, session, onEnd, conditions: { access: grant.predicate } };
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

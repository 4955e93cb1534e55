/**
 * The defaults that one write puts into new units. A body of a few bytes may ask for a thousand times as many of them, so
 * they have a bound of their own, and where they are many they count among those that the other writes put in meanwhile.
 */
import { BodyBudget, type Charge } from '../../http/body/body-budget.js';
import { storedDefault } from '../../model/field.js';
import type { Field } from '../../model/model.js';
import { retryLater, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { originalCallerOf, type Session } from '../session/session.js';

const defaultsBudget = new BodyBudget({
  all: LIMITS.bodiesInFlight,
  perProject: LIMITS.bodiesPerProject,
  anonymous: LIMITS.bodiesAnonymous,
  perAddress: LIMITS.bodiesAnonymous,
  always: LIMITS.bodiesGuaranteed,
  alwaysPerAddress: LIMITS.smallBody,
});

/** Bytes that are counted with those of other writes at a time: most writes have fewer. */
const STEP = 64 * 1024;

interface SizedDefault {
  readonly value: Json;
  /** Of its JSON. */
  readonly bytes: number;
}

const sizedDefaults = new WeakMap<Field, SizedDefault>();

export class DefaultBytes {
  #bytes = 0;
  #charged = 0;
  #charge: Charge | undefined;

  /** @param session whose write it is; left out, it counts for itself alone */
  constructor(private readonly session?: Session) {}

  /** The default of a field as it is bound, for one more unit; null where there is none. @throws KindError 400, 503 */
  of(field: Field): Json {
    if (field.def.default === null) return null;
    const { value, bytes } = sizedDefaults.get(field) ?? measureDefault(field);
    this.#bytes += bytes;
    if (this.#bytes > LIMITS.defaultBytes) {
      const most = LIMITS.defaultBytes.toLocaleString('en');
      throw refusal(
        'body.too_many',
        `The new units would have more than ${most} bytes of defaults; create fewer at once`,
      );
    }
    if (this.#bytes - this.#charged > STEP) this.#count();
    return value;
  }

  /** The write is over. */
  end(): void {
    this.#charge?.end();
  }

  #count(): void {
    if (!this.session) return;
    const { type } = originalCallerOf(this.session);
    this.#charge ??= defaultsBudget.open({
      project: this.session.project.id,
      ...(type === 'anonymous' && { address: ALL_ADDRESSES }),
    });
    if (!this.#charge.add(this.#bytes - this.#charged)) {
      throw retryLater('server.busy', 'Too many units with large defaults are being created');
    }
    this.#charged = this.#bytes;
  }
}

/** Callers without a token are not told apart here. */
const ALL_ADDRESSES = '*';

/** Does work that creates units, with the count of their defaults. */
export async function countingDefaults<T>(session: Session, work: (defaults: DefaultBytes) => Promise<T>): Promise<T> {
  const defaults = new DefaultBytes(session);
  try {
    return await work(defaults);
  } finally {
    defaults.end();
  }
}

function measureDefault(field: Field): SizedDefault {
  const value = storedDefault(field);
  const measure = { value, bytes: Buffer.byteLength(JSON.stringify(value)) };
  sizedDefaults.set(field, measure);
  return measure;
}

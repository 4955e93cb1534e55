/**
 * Limits the bytes of defaults that a write adds to new units: a small body may create many units with large defaults. Large
 * amounts also count against a budget that all concurrent writes share.
 */
import { BodyBudget, type Charge } from '../../http/body/body-budget.js';
import { storedDefault } from '../../model/field.js';
import type { Field } from '../../model/model.js';
import { getOrInsert } from '../../shared/maps.js';
import { retryLater, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { MadeDefaults } from './made-defaults.js';
import { originalCallerOf, type Session } from '../../catalog/session/session.js';

const defaultsBudget = new BodyBudget({
  all: LIMITS.bodiesInFlight,
  perProject: LIMITS.bodiesPerProject,
  anonymous: LIMITS.bodiesAnonymous,
  perAddress: LIMITS.bodiesAnonymous,
  guaranteed: LIMITS.bodiesGuaranteed,
  guaranteedPerAddress: LIMITS.smallBody,
});

/** Bytes that are charged to the shared budget at a time; most writes have fewer. */
const STEP = 64 * 1024;

interface SizedDefault {
  readonly value: Json;
  /** Bytes of its JSON. */
  readonly bytes: number;
}

const sizedDefaults = new WeakMap<Field, SizedDefault>();

export class DefaultBytes {
  #bytes = 0;
  #charged = 0;
  #charge: Charge | undefined;

  /**
   * @param session of the write; without one the shared budget is not charged
   * @param made gives the defaults that are made
   */
  constructor(
    private readonly session?: Session,
    readonly made = new MadeDefaults(session),
  ) {}

  /** The stored default of a field for one more unit; null without a default. @throws KindError 400, 503 */
  of(field: Field): Json {
    if (field.def.made) return this.#counted(sized(this.made.of(field)));
    if (field.def.default === null) return null;
    return this.#counted(getOrInsert(sizedDefaults, field, () => sized(storedDefault(field))));
  }

  #counted({ value, bytes }: SizedDefault): Json {
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

  /** Releases the charge to the shared budget, at the end of the write. */
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

/** All callers without a token share one budget. */
const ALL_ADDRESSES = '*';

/** Runs work that creates units, with a counter of their defaults. */
export async function countingDefaults<T>(
  session: Session,
  work: (defaults: DefaultBytes) => Promise<T>,
  made?: MadeDefaults,
): Promise<T> {
  const defaults = new DefaultBytes(session, made);
  try {
    return await work(defaults);
  } finally {
    defaults.end();
  }
}

function sized(value: Json): SizedDefault {
  return { value, bytes: Buffer.byteLength(JSON.stringify(value)) };
}

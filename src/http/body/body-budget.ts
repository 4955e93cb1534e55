/**
 * How many bytes of bodies one process keeps, of each project and in all: a body is charged as its bytes come (inflated,
 * where the client compressed them) until its request is over. What a client only announces costs nobody anything, and
 * one project's bodies never keep out those of the others: a little is left to each. Callers without a token have only a
 * part of their project's bytes, and each address a part of that, but a little whatever the others have. A body that has
 * no other beside it is taken whatever its size.
 */
export interface BudgetOptions {
  readonly all: number;
  readonly perProject: number;
  /** Of what a project has: for all callers without a token, and for those of one address. */
  readonly anonymous: number;
  readonly perAddress: number;
  /** What each project has, and each address of its part, whatever the others have. */
  readonly always: number;
  readonly alwaysPerAddress: number;
}

/** Whose body it is. */
export interface BodySender {
  readonly project: string;
  /** Where the caller has no token: whence it sends. */
  readonly address?: string | undefined;
}

/** What one body has been charged with. */
export interface Charge {
  /** Whether there is room for so many more bytes; they are charged where there is. */
  readonly add: (bytes: number) => boolean;
  /** Gives all of it back. */
  readonly end: () => void;
}

/** So many bytes under a key at most, unless that of another has but little. */
interface Bound {
  readonly key: string;
  readonly bound: number;
  readonly unless?: Little;
}

interface Little {
  readonly key: string;
  readonly always: number;
}

const ALL = '';

export class BodyBudget {
  /** Bytes that are kept: in all, of projects, and of what projects keep for others. */
  readonly #kept = new Map<string, number>();

  constructor(private readonly options: BudgetOptions) {}

  open(sender: BodySender): Charge {
    const bounds = this.#boundsOf(sender);
    let own = 0;
    return {
      add: (bytes) => {
        const has = ({ key, always }: Little): boolean => this.#keptOf(key) + bytes <= always;
        const fits = ({ key, bound, unless }: Bound): boolean => {
          const kept = this.#keptOf(key);
          return kept === own || kept + bytes <= bound || (unless !== undefined && has(unless));
        };
        if (!bounds.every(fits)) return false;
        own += bytes;
        for (const { key } of bounds) this.#move(key, bytes);
        return true;
      },
      end: () => {
        for (const { key } of bounds) this.#move(key, -own);
        own = 0;
      },
    };
  }

  #boundsOf({ project, address }: BodySender): readonly Bound[] {
    const { all, perProject, anonymous, perAddress, always, alwaysPerAddress } = this.options;
    const ofAll = [
      { key: ALL, bound: all, unless: { key: project, always } },
      { key: project, bound: perProject },
    ];
    if (address === undefined) return ofAll;
    const own = `${project}/${address}`;
    return [
      ...ofAll,
      { key: `${project}/`, bound: anonymous, unless: { key: own, always: alwaysPerAddress } },
      { key: own, bound: perAddress },
    ];
  }

  #keptOf(key: string): number {
    return this.#kept.get(key) ?? 0;
  }

  #move(key: string, by: number): void {
    const rest = this.#keptOf(key) + by;
    if (rest > 0) this.#kept.set(key, rest);
    else this.#kept.delete(key);
  }
}

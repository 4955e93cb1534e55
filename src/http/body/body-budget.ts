/**
 * Limits the bytes of bodies in memory: of all projects, of one project, of its callers without a token, and of one
 * address. Bytes are charged as they arrive (decompressed) until the request is over; announced sizes do not count. A
 * small amount is guaranteed to each project and to each address. A body that is the only one is always accepted.
 */

interface BudgetOptions {
  readonly all: number;
  readonly perProject: number;
  /** The part of `perProject` for callers without a token: for all of them, and for one address. */
  readonly anonymous: number;
  readonly perAddress: number;
  /** Bytes that are guaranteed to each project, and to each address. */
  readonly guaranteed: number;
  readonly guaranteedPerAddress: number;
}

/** The project and caller that a body is charged to. */
export interface BodySender {
  readonly project: string;
  /** The address of a caller without a token; undefined for others. */
  readonly address?: string | undefined;
}

/** The charge for one body. */
export interface Charge {
  /** Charges more bytes; false, and nothing charged, if they exceed a limit. */
  readonly add: (bytes: number) => boolean;
  /** Releases all bytes. */
  readonly end: () => void;
}

/** A limit of bytes for a key. It does not apply while the key in `unless` is below its guaranteed amount. */
interface ByteLimit {
  readonly key: string;
  readonly limit: number;
  readonly unless?: GuaranteedBytes;
}

interface GuaranteedBytes {
  readonly key: string;
  readonly guaranteed: number;
}

const ALL_PROJECTS = '';

export class BodyBudget {
  /** Bytes in use by key: of all projects, of a project, and of addresses within it. */
  readonly #used = new Map<string, number>();

  constructor(private readonly options: BudgetOptions) {}

  open(sender: BodySender): Charge {
    const limits = this.#limitsOf(sender);
    let charged = 0;
    return {
      add: (bytes) => {
        const hasGuaranteed = ({ key, guaranteed }: GuaranteedBytes): boolean =>
          this.#usedBy(key) + bytes <= guaranteed;
        const fits = ({ key, limit, unless }: ByteLimit): boolean => {
          const used = this.#usedBy(key);
          return used === charged || used + bytes <= limit || (unless !== undefined && hasGuaranteed(unless));
        };
        if (!limits.every(fits)) return false;
        charged += bytes;
        for (const { key } of limits) this.#add(key, bytes);
        return true;
      },
      end: () => {
        for (const { key } of limits) this.#add(key, -charged);
        charged = 0;
      },
    };
  }

  #limitsOf({ project, address }: BodySender): readonly ByteLimit[] {
    const { all, perProject, anonymous, perAddress, guaranteed, guaranteedPerAddress } = this.options;
    const shared = [
      { key: ALL_PROJECTS, limit: all, unless: { key: project, guaranteed } },
      { key: project, limit: perProject },
    ];
    if (address === undefined) return shared;
    const addressKey = `${project}/${address}`;
    return [
      ...shared,
      { key: `${project}/`, limit: anonymous, unless: { key: addressKey, guaranteed: guaranteedPerAddress } },
      { key: addressKey, limit: perAddress },
    ];
  }

  #usedBy(key: string): number {
    return this.#used.get(key) ?? 0;
  }

  #add(key: string, bytes: number): void {
    const used = this.#usedBy(key) + bytes;
    if (used > 0) this.#used.set(key, used);
    else this.#used.delete(key);
  }
}

/**
 * Who does what is due. Each work is a row of the registry, which one service at a time takes, whichever is first, by the
 * clock of PostgreSQL; none is special. A service that no longer reports that it runs (`ServiceRegistration`) has lost
 * what it took, so nothing has to be given back by one that dies.
 */
import type { Database } from '../database.js';
import {
  claimWorkStatement,
  deleteWorkStatement,
  forgetOldWorkStatement,
  forgetWorkStatement,
  listWorkStatement,
  planWorkStatement,
  projectsOfWorkStatement,
  READ_CLOCK,
  releaseWorkStatement,
  type ClaimedRow,
  type PlannedWork,
  wakeWorkStatement,
  type WorkClaim,
} from '../../sql/server/work.sql.js';

export type { PlannedWork } from '../../sql/server/work.sql.js';

export type ClaimedWork = ClaimedRow;

interface ListedWork {
  readonly name: string;
  readonly due: number;
  /** Whether a service does it now. */
  readonly held: boolean;
  readonly now: number;
}

/** What may be taken, as it is when the claim has its turn. */
type Claimable = () => Omit<WorkClaim, 'holder' | 'type' | 'except'> & Partial<Pick<WorkClaim, 'except'>>;

/** The work of one type. Times are milliseconds. */
export class WorkClaims {
  /** The ids of the work that this process has. */
  readonly #held = new Set<string>();
  #claiming: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly type: string,
  ) {}

  /**
   * Takes what has been due longest; undefined if nothing is. One claim at a time, because a row with the id of this
   * service may be work that it has, or that it could not give back.
   */
  claim(of: Claimable): Promise<ClaimedWork | undefined> {
    const claimed = this.#claiming.then(() => this.#claim(of()));
    this.#claiming = claimed.catch(() => undefined);
    return claimed;
  }

  async #claim({ except = [], ...claim }: ReturnType<Claimable>): Promise<ClaimedWork | undefined> {
    const of = { type: this.type, holder: this.database.serviceId, except: [...this.#held, ...except] };
    const [claimed] = await this.database.run<ClaimedWork>(claimWorkStatement({ ...claim, ...of }));
    if (claimed) this.#held.add(claimed.id);
    return claimed;
  }

  /** @param due when it is due again; undefined: at once, if it was due */
  async release({ id }: ClaimedWork, due?: number): Promise<void> {
    const statement = releaseWorkStatement(id, this.database.serviceId, due);
    await this.database.run(statement).finally(() => this.#held.delete(id));
  }

  /** For work that is gone. */
  async drop({ id }: ClaimedWork): Promise<void> {
    const statement = deleteWorkStatement(id, this.database.serviceId);
    await this.database.run(statement).finally(() => this.#held.delete(id));
  }

  async plan(planned: readonly PlannedWork[]): Promise<void> {
    if (planned.length > 0) await this.database.run(planWorkStatement(this.type, planned));
  }

  /** Makes the work of a name due now in some projects, and adds it where it is missing. */
  async wake(name: string, projects: readonly string[]): Promise<void> {
    if (projects.length > 0) await this.database.run(wakeWorkStatement(this.type, name, projects));
  }

  /** The projects that have any. */
  async projects(): Promise<ReadonlySet<string>> {
    const rows = await this.database.run<{ project: string | null }>(projectsOfWorkStatement(this.type));
    return new Set(rows.flatMap(({ project }) => project ?? []));
  }

  /** Forgets what projects have of these names beside what is planned. */
  async forgetOthers(
    of: { readonly projects: readonly string[]; readonly names: readonly string[] },
    planned: readonly PlannedWork[],
  ): Promise<void> {
    await this.database.run(forgetWorkStatement(this.type, of, planned));
  }

  async forgetOld(): Promise<void> {
    await this.database.run(forgetOldWorkStatement([this.type]));
  }

  /** The work of a project, or of none. */
  list(project: string | null): Promise<ListedWork[]> {
    return this.database.run<ListedWork>(listWorkStatement(this.type, project));
  }

  /** The time by the clock of PostgreSQL. */
  async now(): Promise<number> {
    const [row] = await this.database.run<{ now: number }>(READ_CLOCK);
    return row?.now ?? Date.now();
  }
}

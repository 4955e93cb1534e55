/**
 * How many bytes of bodies one process keeps, of each project and in all: a body is charged as its bytes come (inflated,
 * where the client compressed them) until its request is over. What a client only announces costs nobody anything, and
 * one project's bodies never keep out those of the others: a little is left to each. A body that has no other beside it is
 * taken whatever its size.
 */
export interface BudgetOptions {
  readonly all: number;
  readonly perProject: number;
  /** What each project has, whatever the others have. */
  readonly always: number;
}

/** What one body has been charged with. */
export interface Charge {
  /** Whether there is room for so many more bytes; they are charged where there is. */
  readonly add: (bytes: number) => boolean;
  /** Gives all of it back. */
  readonly end: () => void;
}

export class BodyBudget {
  #all = 0;
  readonly #projects = new Map<string, number>();

  constructor(private readonly options: BudgetOptions) {}

  open(project: string): Charge {
    let own = 0;
    return {
      add: (bytes) => {
        const of = this.#projects.get(project) ?? 0;
        const { all, perProject, always } = this.options;
        if (of + bytes > always) {
          if (of > own && of + bytes > perProject) return false;
          if (this.#all > own && this.#all + bytes > all) return false;
        }
        own += bytes;
        this.#move(project, of + bytes, bytes);
        return true;
      },
      end: () => {
        this.#move(project, (this.#projects.get(project) ?? 0) - own, -own);
        own = 0;
      },
    };
  }

  #move(project: string, rest: number, by: number): void {
    this.#all += by;
    if (rest > 0) this.#projects.set(project, rest);
    else this.#projects.delete(project);
  }
}

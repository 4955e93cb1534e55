/** Holds events that are alike back: the first passes, and then one an interval, with the number of those before it. */
export class Seldom {
  readonly #seen = new Map<string, { passed: number; held: number }>();

  constructor(
    private readonly interval: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many there were since the last one that passed, with this one; undefined for one that is held back. */
  pass(what: string): number | undefined {
    const seen = this.#seen.get(what);
    if (seen && this.now() - seen.passed < this.interval) {
      seen.held += 1;
      return undefined;
    }
    this.#seen.set(what, { passed: this.now(), held: 0 });
    return (seen?.held ?? 0) + 1;
  }
}

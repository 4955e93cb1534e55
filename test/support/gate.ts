/** A gate that user code waits at, found by its name on `globalThis`; a test sees who has reached it. */
import { vi } from 'vitest';

export class Gate {
  /** Those who have come since it was closed, each by what it said. */
  readonly arrived: string[] = [];
  #open = (): void => undefined;
  #opened = Promise.resolve();
  #closedTo: ((who: string) => boolean) | undefined;

  constructor(name: string) {
    Object.assign(globalThis, { [name]: this });
  }

  close(to: (who: string) => boolean = () => true): void {
    this.#opened = new Promise((resolve) => (this.#open = resolve));
    this.#closedTo = to;
    this.arrived.length = 0;
  }

  open(): void {
    this.#open();
  }

  async pass(who = ''): Promise<void> {
    this.arrived.push(who);
    if (this.#closedTo?.(who)) await this.#opened;
  }

  /** Waits until so many have come; where more have, it is too late. */
  async reached(count: number): Promise<void> {
    await vi.waitUntil(() => this.arrived.length >= count, { timeout: 10_000 });
    if (this.arrived.length > count) throw new Error(`${this.arrived.length} came to the gate, not ${count}`);
  }
}

/** What a module of functions has to say at its beginning to know the gate. */
export const gateOf = (name: string): string =>
  `const { ${name} } = globalThis as unknown as { ${name}: { pass(who?: string): Promise<void> } };`;

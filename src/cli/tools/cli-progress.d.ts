/** The part of the package `cli-progress` that is used here; it has no types of its own. */
declare module 'cli-progress' {
  export interface BarOptions {
    readonly format: string;
    readonly stream?: NodeJS.WritableStream;
    readonly hideCursor?: boolean;
    readonly clearOnComplete?: boolean;
    readonly etaBuffer?: number;
  }

  export class SingleBar {
    constructor(options: BarOptions);
    start(total: number, value: number, payload?: object): void;
    update(value: number, payload?: object): void;
    stop(): void;
  }
}

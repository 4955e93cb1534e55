import type { Message } from './types.js';

/** An answer of the service other than success. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly messages: readonly Message[],
    /** The header `Server-Timing`, if it was asked for the answer itself. */
    readonly timing: string | null = null,
  ) {
    super(messages.map(({ text }) => text).join('\n') || `The service answers ${status}`);
    this.name = 'ApiError';
  }

  has(code: string): boolean {
    return this.messages.some((message) => message.code === code);
  }
}

/** The service could not be reached. */
export class OfflineError extends Error {
  constructor() {
    super('The service cannot be reached');
    this.name = 'OfflineError';
  }
}

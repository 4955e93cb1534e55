/** Runs user code with the handlers for stray errors that `main` installs; an exit is only recorded. */
import type { Logger } from 'pino';
import { vi, type MockInstance } from 'vitest';
import { atEnd } from './at-end.js';
import { handleStrayErrors } from '../../src/function/sandbox/user-code.js';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** For the rest of the file. @returns the exits */
export function outliving(logger: Logger, folder: string): MockInstance {
  const before = EVENTS.map((event) => process.listeners(event as 'exit'));
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const silence = () => {
    for (const event of EVENTS) process.removeAllListeners(event);
  };
  silence();
  handleStrayErrors(logger, folder);
  atEnd(() => {
    silence();
    EVENTS.forEach((event, at) => {
      for (const listener of before[at] ?? []) process.on(event, listener as () => void);
    });
    exit.mockRestore();
  });
  return exit;
}

/** What a command is given to work with. */
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../config/config.js';

export interface Terminal {
  /** Results. */
  readonly out: (text: string) => void;
  /** What went wrong. */
  readonly err: (text: string) => void;
}

export interface Services {
  readonly app: INestApplicationContext;
  readonly config: Config;
}

export interface Toolbox {
  readonly terminal: Terminal;
  /** Runs `work` with the services of the application, and lets go of the database afterwards. */
  readonly services: <T>(work: (services: Services) => Promise<T>) => Promise<T>;
}

/** Every command has it. */
export interface CommonOptions {
  readonly json?: boolean;
}

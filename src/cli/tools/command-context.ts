/** What a command is given to work with. */
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../../config/config.js';

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

export interface ServicesOptions {
  readonly make?: boolean;
}

export interface CommandContext {
  readonly terminal: Terminal;
  /**
   * Runs `work` with the services of the application, and lets go of the database afterwards. `make`: a database that is
   * not there is made. @throws NoDatabaseError where there is none otherwise
   */
  readonly services: <T>(work: (services: Services) => Promise<T>, options?: ServicesOptions) => Promise<T>;
  /** The settings, for what needs no database. @throws ConfigError */
  readonly config: () => Config;
}

/** Every command has it. */
export interface CommonOptions {
  readonly json?: boolean;
}

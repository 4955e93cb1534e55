/** The context of a command. */
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../../config/config.js';

export interface Terminal {
  /** Results. */
  readonly out: (text: string) => void;
  /** Errors. */
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
   * Runs `work` with the services of the application, and closes the database afterwards. `make`: creates a missing
   * database. @throws NoDatabaseError if there is none
   */
  readonly services: <T>(work: (services: Services) => Promise<T>, options?: ServicesOptions) => Promise<T>;
  /** The settings, for commands without a database. @throws ConfigError */
  readonly config: () => Config;
}

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
}

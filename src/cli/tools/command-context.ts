/** The context of a command. */
import type { INestApplicationContext, Type } from '@nestjs/common';
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
  /** Creates a missing database. */
  readonly make?: boolean;
  /** Makes a missing key, as the service would, because secrets are encrypted with it. */
  readonly seals?: boolean;
  /**
   * What the command uses beside the modules of projects and their models. Only that is made, which takes a part of the
   * time; without it, the whole application.
   */
  readonly only?: readonly Type[];
}

export interface CommandContext {
  readonly terminal: Terminal;
  /**
   * Runs `work` with the services of the application, and closes the database afterwards. @throws NoDatabaseError if
   * there is none
   */
  readonly services: <T>(work: (services: Services) => Promise<T>, options?: ServicesOptions) => Promise<T>;
  /** The settings, for commands without a database. @throws ConfigError */
  readonly config: () => Config;
}

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
}

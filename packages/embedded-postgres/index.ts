/** What the service uses of the package; README.md describes it. */
export { EmbeddedPostgres } from './embedded-postgres.js';
export { EmbeddedPostgresError } from './error.js';
export { dataFolder, isInitialised } from './data-folder.js';
export { readConnectionFile } from './connection-file.js';

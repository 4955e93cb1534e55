/** The migrations of the registry, oldest first. A test compares the list with the files of this folder. */
import { Registry1763700000000 } from './1763700000000-registry.js';
import { Work1764400000000 } from './1764400000000-work.js';
import { Feed1764500000000 } from './1764500000000-feed.js';
import { FileStore1764600000000 } from './1764600000000-file-store.js';
import { SecretsCheck1764700000000 } from './1764700000000-secrets-check.js';

export const MIGRATIONS = [
  Registry1763700000000,
  Work1764400000000,
  Feed1764500000000,
  FileStore1764600000000,
  SecretsCheck1764700000000,
] as const;

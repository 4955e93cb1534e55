/** The migrations of the registry, oldest first. A test compares the list with the files of this folder. */
import { Registry1763700000000 } from './1763700000000-registry.js';
import { Unindexed1763800000000 } from './1763800000000-unindexed.js';
import { Presence1764000000000 } from './1764000000000-presence.js';
import { BuiltIn1764100000000 } from './1764100000000-built-in.js';
import { Release1764200000000 } from './1764200000000-release.js';

export const MIGRATIONS = [
  Registry1763700000000,
  Unindexed1763800000000,
  Presence1764000000000,
  BuiltIn1764100000000,
  Release1764200000000,
] as const;

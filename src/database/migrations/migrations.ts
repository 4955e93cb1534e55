/** The migrations of the registry, oldest first. A test compares the list with the files of this folder. */
import { Registry1763700000000 } from './1763700000000-registry.js';

export const MIGRATIONS = [Registry1763700000000] as const;

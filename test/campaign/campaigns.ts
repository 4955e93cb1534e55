import type { Campaign } from './campaign.js';
import { kill } from './kill.js';
import { restart } from './restart.js';

/** By the name on the command line. */
export const CAMPAIGNS = { kill, restart } as const satisfies Record<string, Campaign>;

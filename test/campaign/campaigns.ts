import type { Campaign } from './campaign.js';
import { access } from './access.js';
import { backup } from './backup.js';
import { clock } from './clock.js';
import { connections } from './connections.js';
import { definitions } from './definitions.js';
import { disk } from './disk.js';
import { document } from './document.js';
import { files } from './files.js';
import { fuzz } from './fuzz.js';
import { kill } from './kill.js';
import { lists } from './lists.js';
import { order } from './order.js';
import { restart } from './restart.js';
import { soak } from './soak.js';
import { stop, stopWorkers } from './stop.js';

/** By the name on the command line. */
export const CAMPAIGNS = {
  ...{ kill, restart, connections, disk, clock, stop, 'stop-workers': stopWorkers, definitions },
  ...{ fuzz, document, backup, soak, order, lists, access, files },
} as const satisfies Record<string, Campaign>;

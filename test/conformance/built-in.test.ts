import { sharedService } from '../support/service.js';
import { itHolds } from './contract.js';
import { BUILT_IN } from './subjects.js';

const service = await sharedService();
const other = await service.project();
/** The definitions of one subject would make those of the next slower. */
for (const subject of BUILT_IN) itHolds(subject, { here: await service.project(), other });

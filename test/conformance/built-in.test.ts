import { sharedService } from '../support/service.js';
import { itHolds } from './contract.js';
import { BUILT_IN } from './subjects.js';

const service = await sharedService();
const here = await service.project();
const other = await service.project();

for (const subject of BUILT_IN) itHolds(subject, { here, other });

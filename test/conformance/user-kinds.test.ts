import { sharedService } from '../support/service.js';
import { itHolds } from './contract.js';
import { defineSubjects, LISTS, TYPED, USERS } from './subjects.js';

const service = await sharedService();
const here = await service.project();
const other = await service.project();
for (const project of [here, other]) await defineSubjects(project);
const documented = { here: await here.documented(), other };

for (const subject of [...TYPED, ...LISTS, ...USERS]) itHolds(subject, documented);

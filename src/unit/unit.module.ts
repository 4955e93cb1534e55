import { Module } from '@nestjs/common';
import { Behaviors } from './behavior.js';
import { Changes } from './changes.js';
import { Deletions } from './deletion.js';
import { Drafter } from './drafter.js';
import { Explanations } from './explanations.js';
import { References } from './references.js';
import { RemoteReader } from './remote.reader.js';
import { RemoteWriter } from './remote.writer.js';
import { Remotes } from './remotes.js';
import { SessionUnits } from './session-units.js';
import { Structs } from './struct.js';
import { SystemLinks } from './system-links.js';
import { TableReader } from './table.reader.js';
import { TableWriter } from './table.writer.js';
import { UnitController } from './unit.controller.js';
import { UnitReader } from './unit.reader.js';
import { UnitRepository } from './unit.repository.js';
import { UnitRights } from './unit.rights.js';
import { UnitService } from './unit.service.js';
import { UnitWriter } from './unit.writer.js';
import { Walks } from './walks.js';
import { WriteRefusals } from './write-refusals.js';

/** The engine: what every kind's units have in common. */
@Module({
  providers: [
    Behaviors,
    Changes,
    Deletions,
    Drafter,
    Explanations,
    References,
    RemoteReader,
    RemoteWriter,
    Remotes,
    SessionUnits,
    Structs,
    SystemLinks,
    TableReader,
    TableWriter,
    UnitReader,
    UnitRepository,
    UnitRights,
    UnitService,
    UnitWriter,
    Walks,
    WriteRefusals,
  ],
  exports: [
    Behaviors,
    Deletions,
    Drafter,
    Explanations,
    References,
    Remotes,
    SessionUnits,
    Structs,
    SystemLinks,
    UnitReader,
    UnitRepository,
    UnitRights,
    UnitService,
    UnitWriter,
    Walks,
  ],
})
export class UnitModule {}

/** Its routes, apart from it, because they match whatever more special routes leave. */
@Module({ imports: [UnitModule], controllers: [UnitController] })
export class UnitRoutesModule {}

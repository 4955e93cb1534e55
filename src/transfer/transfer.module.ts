import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';
import { ProjectExportService } from './project/project-export.service.js';
import { ProjectImportService } from './project/project-import.service.js';
import { TransferController } from './transfer.controller.js';
import { ConcurrentTransfers } from './concurrent-transfers.js';

@Module({
  imports: [UnitModule],
  providers: [ExportService, ImportService, ProjectExportService, ProjectImportService, ConcurrentTransfers],
  controllers: [TransferController],
})
export class TransferModule {}

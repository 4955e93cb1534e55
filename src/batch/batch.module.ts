import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';

@Module({ imports: [UnitModule], providers: [BatchService], controllers: [BatchController] })
export class BatchModule {}

import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { ModelApply } from './apply-model.js';
import { ModelController } from './model.controller.js';
import { ModelFiles } from './model-files.js';
import { ModelWriter } from './write-model.js';

@Module({
  imports: [UnitModule],
  providers: [ModelApply, ModelFiles, ModelWriter],
  controllers: [ModelController],
})
export class ModelFileModule {}

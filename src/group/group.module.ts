import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { GroupBehavior } from './group.behavior.js';
import { GroupController } from './group.controller.js';
import { GroupReader } from './group.reader.js';

@Module({
  imports: [UnitModule],
  providers: [GroupBehavior, GroupReader],
  exports: [GroupReader],
  controllers: [GroupController],
})
export class GroupModule {}

import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { GroupBehavior } from './group.behavior.js';
import { GroupController } from './group.controller.js';
import { GroupKinds } from './group-kinds.js';

@Module({ imports: [UnitModule], providers: [GroupBehavior, GroupKinds], controllers: [GroupController] })
export class GroupModule {}

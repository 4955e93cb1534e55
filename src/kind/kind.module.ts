import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { KindBehavior } from './kind.behavior.js';
import { KindController } from './kind.controller.js';

@Module({ imports: [UnitModule], providers: [KindBehavior], controllers: [KindController] })
export class KindModule {}

import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { ParameterBehavior } from './parameter.behavior.js';

@Module({ imports: [UnitModule], providers: [ParameterBehavior] })
export class ParameterModule {}

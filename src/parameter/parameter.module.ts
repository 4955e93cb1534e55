import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { KindParameters } from './kind-parameters.js';
import { ParameterBehavior } from './parameter.behavior.js';

@Module({ imports: [UnitModule], providers: [KindParameters, ParameterBehavior] })
export class ParameterModule {}

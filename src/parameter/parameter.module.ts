import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { ParameterLink } from './parameter-link.js';
import { ParameterBehavior } from './parameter.behavior.js';

@Module({ imports: [UnitModule], providers: [ParameterLink, ParameterBehavior] })
export class ParameterModule {}

import { Module } from '@nestjs/common';
import { Numbering } from './numbering.js';
import { Waiting } from './waiting.js';

/** What is recorded of changes of units. */
@Module({ providers: [Numbering, Waiting] })
export class ChangesModule {}

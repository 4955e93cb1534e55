import { Module } from '@nestjs/common';
import { ChangesController } from './changes.controller.js';
import { FeedReader } from './feed.reader.js';
import { Numbering } from './numbering.js';
import { UnitModule } from '../unit/unit.module.js';
import { Waiting } from './waiting.js';

/** What changes of units are read for. */
@Module({ imports: [UnitModule], controllers: [ChangesController], providers: [FeedReader, Numbering, Waiting] })
export class ChangesModule {}

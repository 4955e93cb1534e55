import { Module } from '@nestjs/common';
import { ChangeNotices } from './change-notices.js';
import { ChangesController } from './changes.controller.js';
import { Erasures } from './erasures.js';
import { FeedGeneration } from './feed-generation.js';
import { FeedReader } from './feed.reader.js';
import { FollowedProject } from './follow/followed-project.js';
import { Followers } from './follow/followers.js';
import { HistoryCommands } from './history.commands.js';
import { HistoryController } from './history.controller.js';
import { HistoryReader } from './history.reader.js';
import { LiveController } from './live/live.controller.js';
import { LiveLists } from './live/live-lists.js';
import { Numbering } from './numbering.js';
import { RevertCommands } from './revert.commands.js';
import { UnitModule } from '../unit/unit.module.js';
import { Waiting } from './waiting/waiting.js';

/** What changes of units are read for, and who follows them. */
@Module({
  imports: [UnitModule],
  controllers: [ChangesController, HistoryController, LiveController],
  providers: [
    ChangeNotices,
    Erasures,
    FeedGeneration,
    FeedReader,
    FollowedProject,
    Followers,
    HistoryCommands,
    HistoryReader,
    LiveLists,
    Numbering,
    RevertCommands,
    Waiting,
  ],
  exports: [FeedReader, Followers, Numbering],
})
export class ChangesModule {}

import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { AddressController } from './address.controller.js';
import { ContentCheck } from './content-check.js';
import { ContentCommands } from './content.commands.js';
import { FileBehavior } from './file.behavior.js';
import { FileCommands } from './file.commands.js';
import { FileController } from './file.controller.js';
import { FileOwnerBehavior } from './file-owner.behavior.js';
import { ImageMaker } from './image/image-maker.js';
import { ObjectCollector } from './object-collector.js';
import { NewContents } from './new-contents.js';
import { Objects } from './objects.js';
import { OwnedFilesBehavior } from './owned-files.behavior.js';
import { Pictures } from './pictures.js';
import { ResumableCommands } from './resumable/resumable.commands.js';
import { ResumableController } from './resumable/resumable.controller.js';
import { ResumableUploads } from './resumable/resumable-uploads.js';
import { Uploads } from './uploads.js';

/** Contents of files: uploads, also resumable ones, and downloads. */
@Module({
  imports: [UnitModule],
  controllers: [ResumableController, FileController, AddressController],
  providers: [
    { provide: ImageMaker, useFactory: () => new ImageMaker() },
    ContentCheck,
    ContentCommands,
    Pictures,
    FileBehavior,
    FileCommands,
    FileOwnerBehavior,
    NewContents,
    ObjectCollector,
    Objects,
    OwnedFilesBehavior,
    ResumableCommands,
    ResumableUploads,
    Uploads,
  ],
  exports: [ContentCommands, FileBehavior, NewContents, Objects, Uploads],
})
export class FileModule {}

import { Module } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { UnitModule } from '../unit/unit.module.js';
import { FileBehavior } from './file.behavior.js';
import { FileCommands } from './file.commands.js';
import { FileController } from './file.controller.js';
import { FILE_STORE, Objects } from './objects.js';
import { openStore } from './store/open-store.js';
import { Uploads } from './uploads.js';

/** Contents of files: uploads and downloads. */
@Module({
  imports: [UnitModule],
  controllers: [FileController],
  providers: [
    { provide: FILE_STORE, useFactory: ({ files }: Config) => openStore(files), inject: [CONFIG] },
    FileBehavior,
    FileCommands,
    Objects,
    Uploads,
  ],
})
export class FileModule {}

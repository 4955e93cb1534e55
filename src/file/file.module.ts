import { Module } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { UnitModule } from '../unit/unit.module.js';
import { AddressController } from './address.controller.js';
import { ContentCommands } from './content.commands.js';
import { FileBehavior } from './file.behavior.js';
import { FileCommands } from './file.commands.js';
import { FileController } from './file.controller.js';
import { ImageMaker } from './image/image-maker.js';
import { FILE_STORE, Objects } from './objects.js';
import { Pictures } from './pictures.js';
import { openStore } from './store/open-store.js';
import { Uploads } from './uploads.js';

/** Contents of files: uploads and downloads. */
@Module({
  imports: [UnitModule],
  controllers: [FileController, AddressController],
  providers: [
    { provide: FILE_STORE, useFactory: ({ files }: Config) => openStore(files), inject: [CONFIG] },
    { provide: ImageMaker, useFactory: () => new ImageMaker() },
    ContentCommands,
    FileBehavior,
    FileCommands,
    Objects,
    Pictures,
    Uploads,
  ],
})
export class FileModule {}

import { Module } from '@nestjs/common';
import { ConsoleController } from './console.controller.js';
import { ConsoleFiles } from './console-files.js';

@Module({
  providers: [{ provide: ConsoleFiles, useFactory: () => new ConsoleFiles() }],
  controllers: [ConsoleController],
})
export class ConsoleModule {}

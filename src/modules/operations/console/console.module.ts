import { Module } from '@nestjs/common';
import { SessionsModule } from '../../identity/sessions/index.js';
import { Console } from './console.js';
import { ConsoleCallbacks } from './console-callbacks.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleSessions } from './console-sessions.js';

@Module({
  imports: [SessionsModule],
  providers: [Console, ConsoleCallbacks, ConsoleFiles, ConsoleSessions],
  exports: [Console],
})
export class ConsoleModule {}

import { Module } from '@nestjs/common';
import { SessionsModule } from '../../identity/sessions/index.js';
import { SsoOidcModule } from '../../tenancy/sso/index.js';
import { Console } from './console.js';
import { ConsoleCallbacks } from './console-callbacks.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleHelp } from './console-help.js';
import { ConsoleSessions } from './console-sessions.js';

@Module({
  imports: [SessionsModule, SsoOidcModule],
  providers: [Console, ConsoleCallbacks, ConsoleFiles, ConsoleHelp, ConsoleSessions],
  exports: [Console],
})
export class ConsoleModule {}

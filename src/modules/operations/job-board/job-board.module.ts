import { Module } from '@nestjs/common';
import { JobBoard } from './job-board.js';

@Module({ providers: [JobBoard], exports: [JobBoard] })
export class JobBoardModule {}

import { Module } from '@nestjs/common';
import { HeartbeatsWriter } from './heartbeats.writer.js';

@Module({ providers: [HeartbeatsWriter], exports: [HeartbeatsWriter] })
export class HeartbeatsModule {}

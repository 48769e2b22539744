import { Module } from '@nestjs/common';
import { EventTotalsRepository } from './totals.repository.js';
import { TotalsOfDeletedProjects } from './totals-of-deleted-projects.js';

@Module({ providers: [EventTotalsRepository, TotalsOfDeletedProjects], exports: [EventTotalsRepository] })
export class EventTotalsModule {}

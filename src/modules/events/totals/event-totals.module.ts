import { Module } from '@nestjs/common';
import { EventTotals } from './event-totals.js';
import { TotalsOfDeletedProjects } from './totals-of-deleted-projects.js';

@Module({ providers: [EventTotals, TotalsOfDeletedProjects], exports: [EventTotals] })
export class EventTotalsModule {}

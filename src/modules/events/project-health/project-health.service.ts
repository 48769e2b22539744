import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { ActiveKeysReader } from '../../entitlement/api-keys/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import { ingestionStatus } from './ingestion-status.js';
import type { ProjectHealthResponse } from './project-health.dto.js';
import { ArrivalsReader } from '../event-store/index.js';

@Injectable()
export class ProjectHealthService {
  constructor(
    private readonly health: ArrivalsReader,
    private readonly projects: ProjectsReader,
    private readonly keys: ActiveKeysReader,
    private readonly clock: Clock,
  ) {}

  async get(scope: ProjectScope): Promise<ProjectHealthResponse> {
    const now = this.clock.now();
    const [{ archivedAt }, activeKeys, arrivals] = await Promise.all([
      this.projects.get(scope),
      this.keys.countOf(scope, now),
      this.health.arrivals(scope, now),
    ]);
    const hasEvents = arrivals.lastEventAt !== null;
    return {
      project_id: scope.projectId,
      status: ingestionStatus({
        hasEvents,
        eventsLast24h: arrivals.last24h,
        activeKeys,
        isArchived: archivedAt !== null,
      }),
      last_event_at: arrivals.lastEventAt?.toISOString() ?? null,
      events_last_hour: arrivals.lastHour,
      events_last_24h: arrivals.last24h,
      active_keys: activeKeys,
      archived_at: archivedAt?.toISOString() ?? null,
      onboarding: { has_key: activeKeys > 0, has_event: hasEvents, completed: hasEvents },
    };
  }
}

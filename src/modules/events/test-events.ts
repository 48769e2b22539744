import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { newId } from '../../platform/ids/index.js';
import { IngestionPolicies } from '../projects/index.js';
import { EventsRepository } from './events.repository.js';
import type { IngestRequest } from './ingest.dto.js';
import { normalizeEvent } from './normalized-event.js';

export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly timestamp: Date;
}

/** Sends an event for a source that no key brought, the way of every other event: same refusals, counts and storage. */
@Injectable()
export class TestEvents {
  constructor(
    private readonly events: EventsRepository,
    private readonly policies: IngestionPolicies,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError whatever ingestion refuses an event with */
  async send(scope: ProjectScope & { readonly sourceId: string }, request: IngestRequest): Promise<SentEvent> {
    const { redact } = await this.policies.admit(scope);
    const arrivedAt = this.clock.now();
    const event = normalizeEvent(request, newId(), arrivedAt, redact);
    const { projectId, organizationId, sourceId } = scope;
    await this.events.insert({ projectId, organizationId, sourceId, apiKeyId: null }, event, arrivedAt);
    return { id: event.id, event: event.event, timestamp: event.timestamp };
  }
}

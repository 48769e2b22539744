import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { brokenRule } from '../../platform/http/fields/index.js';
import { newId } from '../../platform/ids/index.js';
import { IngestionPolicies } from '../projects/index.js';
import { EventsRepository } from './events.repository.js';
import type { IngestRequest, IngestResponse } from './ingest.dto.js';
import { type NormalizedEvent, normalizeEvent } from './normalized-event.js';

const MAX_AHEAD_MS = 24 * 3600 * 1000;

/**
 * Takes one event. The order is key, body, idempotent replay, billing, daily limit, write (DECISIONS 5);
 * key and body are the guard's.
 */
@Injectable()
export class IngestService {
  constructor(
    private readonly events: EventsRepository,
    private readonly policies: IngestionPolicies,
    private readonly clock: Clock,
  ) {}

  async ingest(scope: ApiKeyScope, request: IngestRequest): Promise<IngestResponse> {
    const { redact } = await this.policies.admit(scope);
    const arrivedAt = this.clock.now();
    if (request.timestamp !== undefined && request.timestamp.getTime() > arrivedAt.getTime() + MAX_AHEAD_MS) {
      throw brokenRule(
        ['body', 'timestamp'],
        'timestamp must not be more than 24 hours ahead',
        request.timestamp.toISOString(),
      );
    }
    const event = normalizeEvent(request, newId(), arrivedAt, redact);
    await this.events.insert(scope, event, arrivedAt);
    return answer(scope, event);
  }
}

function answer(scope: ApiKeyScope, event: NormalizedEvent): IngestResponse {
  return {
    accepted: true,
    project_id: scope.projectId,
    api_key_id: scope.apiKeyId,
    ingested_event_id: event.id,
    external_event_id: event.externalEventId,
    event_type: event.event,
    timestamp: event.timestamp.toISOString(),
    properties: event.properties,
    duplicate: false,
    ingest_mode: 'direct',
    persisted_synchronously: true,
  };
}

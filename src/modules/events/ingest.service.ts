import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/index.js';
import type { ApiKeyScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { newId } from '../../platform/ids/index.js';
import { EventAdmission } from './event-admission.js';
import type { IngestRequest, IngestResponse } from './ingest.dto.js';
import { type NormalizedEvent, normalizeEvent } from './normalized-event.js';
import { requestHash } from './request-hash.js';

/**
 * Takes one event. The order is key, body, idempotent replay, billing, daily limit, write (DECISIONS 5);
 * key and body are the guard's.
 */
@Injectable()
export class IngestService {
  constructor(
    private readonly admission: EventAdmission,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async ingest(scope: ApiKeyScope, key: string | undefined, request: IngestRequest): Promise<IngestResponse> {
    const { redact } = await this.admission.policyOf(scope);
    const event = normalizeEvent(request, newId(), this.clock.now(), redact);
    const answer = this.answer(scope, event);
    const idempotency = key === undefined ? null : { key, hash: requestHash(request), answer };
    const admitted = await this.admission.submit({ sender: scope, events: [event], idempotency });
    if (admitted.kind === 'written') return answer;
    return { ...(admitted.stored.answer as IngestResponse), duplicate: true };
  }

  private answer(scope: ApiKeyScope, event: NormalizedEvent): IngestResponse {
    const { mode } = this.config.ingestion;
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
      ingest_mode: mode,
      persisted_synchronously: mode !== 'queued',
    };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { currentContext } from '../../../platform/telemetry/index.js';
import { newId } from '../../../platform/ids/index.js';
import { EventAdmissionService } from './event-admission.service.js';
import type { IngestRequest, StoredEvent } from '../fields/index.js';
import { normalizeEvent } from './normalized-event.js';
import { checkWrittenSize, MOST_GROWTH } from './written-size.js';
import type { Sender } from '../event-store/index.js';

/**
 * Records an event that was not sent with an API key. It has the same refusals, counts and storage as any other event.
 */
@Injectable()
export class EventRecorder {
  constructor(
    private readonly admission: EventAdmissionService,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Stores the event and returns it. @throws DomainError with any refusal of ingestion */
  async record(scope: Omit<Sender, 'apiKeyId'>, request: IngestRequest, bodyTaken?: () => void): Promise<StoredEvent> {
    const sender = { ...scope, apiKeyId: null };
    const { redaction } = await this.admission.policyOf(sender, null);
    const now = this.clock.now();
    const event = normalizeEvent(request, newId(), now, redaction.properties);
    checkWrittenSize(event.bytes, MOST_GROWTH * this.config.http.maxBodyBytes);
    // The caller keeps the request until it is answered, so its large objects are released here, as in `IngestService`.
    request.payload = request.properties = undefined;
    bodyTaken?.();
    const admitted = await this.admission.submit(
      { sender, events: [event], idempotency: null, traceparent: currentContext()?.traceparent },
      null,
    );
    return {
      ...event,
      project_id: sender.projectId,
      source_id: sender.sourceId,
      api_key_id: null,
      created_at: admitted.kind === 'written' ? admitted.acceptedAt : now,
    };
  }
}

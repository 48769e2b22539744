import type { ApiKeyScope } from '../../access/index.js';
import { writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { IngestResponse } from './ingest.dto.js';
import type { NormalizedEvent } from '../fields/index.js';

/** An answer and the ingestion mode of the request. A replay reports the mode of the first request. */
export interface IngestAnswer<Response> {
  readonly mode: string;
  readonly answer: WrittenJson<Response>;
}

/**
 * The stored data from which a replay is answered. The properties are kept as text: jsonb would lose their order and
 * lengthen numbers. Older records hold them as an object.
 */
export type StoredIngestAnswer = Omit<IngestResponse, 'properties' | 'accepted' | 'duplicate'> & {
  readonly properties: string | Record<string, unknown>;
};

export function storedAnswer(scope: ApiKeyScope, event: NormalizedEvent, mode: string): StoredIngestAnswer {
  return {
    project_id: scope.projectId,
    api_key_id: scope.apiKeyId,
    ingested_event_id: event.id,
    external_event_id: event.external_event_id,
    event_type: event.event,
    timestamp: event.timestamp.toISOString(),
    properties: event.properties,
    ingest_mode: mode,
    persisted_synchronously: mode !== 'queued',
  };
}

/** Returns the answer with its members in a fixed order, so that a replay has the same bytes as the first answer. */
export function ingestAnswer(stored: StoredIngestAnswer, duplicate: boolean): IngestAnswer<IngestResponse> {
  const { properties } = stored;
  return {
    mode: stored.ingest_mode ?? '',
    answer: writeObject<IngestResponse>({
      accepted: true,
      project_id: stored.project_id,
      api_key_id: stored.api_key_id,
      ingested_event_id: stored.ingested_event_id,
      external_event_id: stored.external_event_id,
      event_type: stored.event_type,
      timestamp: stored.timestamp,
      properties: new WrittenJson(typeof properties === 'string' ? properties : JSON.stringify(properties)),
      duplicate,
      ingest_mode: stored.ingest_mode,
      persisted_synchronously: stored.persisted_synchronously,
    }),
  };
}

import type { ApiKeyScope } from '../../access/index.js';
import { writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { IngestResponse } from './ingest.dto.js';
import type { NormalizedEvent } from '../fields/index.js';

/** What is answered, and by which mode of ingestion it was taken: a repetition tells that of the first. */
export interface IngestAnswer<Response> {
  readonly mode: string;
  readonly answer: WrittenJson<Response>;
}

/**
 * What a repetition is answered from. The properties are kept as text: in jsonb their order would be lost and numbers
 * would grow. Records from before that hold the object.
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

/** The answer, member by member in one order, so that a repetition has the bytes of the first. */
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

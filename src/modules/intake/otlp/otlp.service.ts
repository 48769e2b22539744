import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import { OutcomeUnknown } from '../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { answered, type DraftOrRefusal, IntakeService, repeatOfBytes } from '../core/index.js';
import { IdempotencyKeyInProgress } from '../../events/event-store/index.js';
import { type ExportResult, isJson } from './otlp-answer.js';
import { logDrafts, traceDrafts } from './otlp-drafts.js';
import { type OtlpBody, OtlpRecordsReader } from './otlp-records.reader.js';

/** A request of an exporter or a collector. */
export interface ExportRequest {
  readonly scope: ApiKeyScope;
  readonly bytes: Buffer;
  readonly request: CheckedRequest;
}

const METRICS_ARE_NOT_STORED = 'This service stores logs and traces. Metrics are not stored.';
const MAX_REASONS = 3;

/** Stores what OpenTelemetry exporters and collectors send. */
@Injectable()
export class OtlpService {
  constructor(
    private readonly intake: IntakeService,
    private readonly records: OtlpRecordsReader,
  ) {}

  /** @throws UndecodableBody, TooManyRecords, AllEventsRefused, DomainError as `IntakeService.submit` */
  async logs(sent: ExportRequest): Promise<ExportResult> {
    return this.store(sent, 'otlp logs', logDrafts(await this.records.logs(bodyOf(sent))));
  }

  /** @param areAllWanted whether spans of all kinds are stored. @throws as {@link logs} */
  async traces(sent: ExportRequest, areAllWanted: boolean): Promise<ExportResult> {
    const drafts = traceDrafts(await this.records.traces(bodyOf(sent)), areAllWanted);
    return this.store(sent, areAllWanted ? 'otlp all spans' : 'otlp spans', drafts);
  }

  /** Rejects all points, which a collector with a pipeline for metrics reports and survives. @throws UndecodableBody */
  async metrics(sent: ExportRequest): Promise<ExportResult> {
    const rejected = await this.records.points(bodyOf(sent));
    return { rejected, message: rejected === 0 ? '' : METRICS_ARE_NOT_STORED };
  }

  private async store(
    { scope, bytes, request }: ExportRequest,
    protocol: string,
    items: Iterable<DraftOrRefusal>,
  ): Promise<ExportResult> {
    try {
      const repeat = repeatOfBytes(protocol, bytes);
      const answer = await this.intake.submit({ sender: scope, items, repeat, requestId: request.requestId });
      const { rejected, results } = answered(request, answer);
      const reasons = new Set(results.flatMap(({ detail }) => detail ?? []));
      return { rejected, message: [...reasons].slice(0, MAX_REASONS).join('. ') };
    } catch (error) {
      throw isRetryable(error) ? new ServiceOverloaded() : error;
    }
  }
}

function bodyOf({ scope, bytes, request }: ExportRequest): OtlpBody {
  return { bytes, isJson: isJson(request), holder: scope.projectId };
}

/**
 * Whether the same bytes should be sent again. They may be in work, or their outcome is unknown. Both are safe to
 * repeat, and exporters repeat only after 429 and 503.
 */
function isRetryable(error: unknown): boolean {
  return error instanceof IdempotencyKeyInProgress || error instanceof OutcomeUnknown;
}

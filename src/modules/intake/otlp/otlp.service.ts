import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import { OutcomeUnknown } from '../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { LARGE_BYTES, LargeBodies } from '../../../platform/http/large-bodies.js';
import { answered, type IntakeRequest, IntakeService, repeatOfBytes } from '../core/index.js';
import { IdempotencyKeyInProgress } from '../../events/event-store/index.js';
import { type ExportResult, isJson } from './otlp-answer.js';
import { logDrafts, traceDrafts } from './otlp-drafts.js';
import { countMetricPoints, type OtlpBody, readLogRecords, readSpans } from './read-records.js';

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
    private readonly large: LargeBodies,
  ) {}

  /** @throws UndecodableBody, TooManyRecords, AllIntakeEventsRefused, DomainError as `IntakeService.submit` */
  async logs(sent: ExportRequest): Promise<ExportResult> {
    return this.store(sent, 'otlp logs', async ({ redaction, rest }) =>
      logDrafts(await readLogRecords(bodyOf(sent), { rest }), redaction),
    );
  }

  /** @param areAllWanted whether spans of all kinds are stored. @throws as {@link logs} */
  async traces(sent: ExportRequest, areAllWanted: boolean): Promise<ExportResult> {
    return this.store(sent, areAllWanted ? 'otlp all spans' : 'otlp spans', async ({ redaction, rest }) =>
      traceDrafts(await readSpans(bodyOf(sent), { rest }), areAllWanted, redaction),
    );
  }

  /** Rejects all points. A collector reports the rejection and continues. @throws UndecodableBody */
  async metrics(sent: ExportRequest): Promise<ExportResult> {
    const slot = sent.bytes.length < LARGE_BYTES ? undefined : await this.large.acquire(sent.scope.projectId);
    try {
      const rejected = await countMetricPoints(bodyOf(sent), { rest: async () => slot?.rest() });
      return { rejected, message: rejected === 0 ? '' : METRICS_ARE_NOT_STORED };
    } finally {
      slot?.end();
    }
  }

  private async store(
    { scope, bytes, request }: ExportRequest,
    protocol: string,
    items: IntakeRequest['items'],
  ): Promise<ExportResult> {
    try {
      const repeat = repeatOfBytes(protocol, bytes);
      const { requestId } = request;
      const answer = await this.intake.submit({ sender: scope, size: bytes.length, items, repeat, requestId });
      const { rejected, results } = answered(request, answer);
      const reasons = new Set(results.flatMap(({ detail }) => detail ?? []));
      return { rejected, message: [...reasons].slice(0, MAX_REASONS).join('. ') };
    } catch (error) {
      throw isRetryable(error) ? new ServiceOverloaded() : error;
    }
  }
}

function bodyOf({ bytes, request }: ExportRequest): OtlpBody {
  return { bytes, isJson: isJson(request) };
}

/**
 * Whether the same bytes should be sent again, because the first request is still running or its outcome is unknown. A
 * repeat is safe in both cases, and exporters repeat only after 429 and 503.
 */
function isRetryable(error: unknown): boolean {
  return error instanceof IdempotencyKeyInProgress || error instanceof OutcomeUnknown;
}

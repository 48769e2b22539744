import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import { EventSourceNotFound } from '../api-keys/index.js';
import { IngestionFailuresReader } from '../ingestion-failures/index.js';
import { ProjectOfSource } from './event-sources.reader.js';
import { sourceFailureResponse, SourceFailuresQuery, SourceFailuresResponse } from './source-failures.dto.js';

@ApiTags('ingest-sources')
@Controller('v1/ingest-sources/:source_id/failures')
export class SourceFailuresController {
  constructor(private readonly failures: IngestionFailuresReader) {}

  @Get()
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'listIngestSourceFailures',
    summary: 'Recorded ingestion failures',
    description:
      'Ingestion with a key of the source, or by its webhooks, that was refused by billing, by the limits of the month or the day, by the rate limit (`rate_limited`), since the source is disabled, or since the project is archived, and webhooks whose signature is not valid; nothing else is recorded. One record for each sender, reason and UTC hour, newest first. Written best-effort.',
    answer: SourceFailuresResponse,
    errors: [EventSourceNotFound],
  })
  async list(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @Query() query: SourceFailuresQuery,
  ): Promise<SourceFailuresResponse> {
    const { items, total } = await this.failures.ofSource(scope, sourceId, query);
    return { items: items.map(sourceFailureResponse), total, limit: query.limit, offset: query.offset };
  }
}

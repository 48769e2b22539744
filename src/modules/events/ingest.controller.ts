import { Controller, Header, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKey, type ApiKeyScope } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { Body, Scope } from '../../platform/http/inputs.js';
import { INGESTION_KEY_ERRORS } from '../api-keys/index.js';
import { ProjectIsArchived } from '../projects/index.js';
import { IngestRequest, IngestResponse } from './ingest.dto.js';
import { IngestService } from './ingest.service.js';

@ApiTags('events')
@Controller('v1/events')
export class IngestController {
  constructor(private readonly ingestion: IngestService) {}

  @Post('ingest')
  @ApiKey('events:write')
  @Header('X-Service-Ingest-Mode', 'direct')
  @Header('X-Service-Persisted-Synchronously', 'true')
  @Documented({
    summary: 'Ingest one event',
    description:
      'The answer 200 means that the event is committed. Unknown fields are ignored; a repeated JSON key takes its last value.',
    answer: IngestResponse,
    errors: [...INGESTION_KEY_ERRORS, ProjectIsArchived],
  })
  ingest(@Scope() scope: ApiKeyScope, @Body() body: IngestRequest): Promise<IngestResponse> {
    return this.ingestion.ingest(scope, body);
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { CatalogEntryResponse, catalogResponse } from './catalog.dto.js';

@ApiTags('ingest-sources')
@Controller('v1/ingest-sources/catalog')
export class SourceCatalogController {
  @Get()
  @Public('the same set-up instructions for everybody')
  @Documented({
    operationId: 'listIngestSourceCatalog',
    summary: 'Source types with set-up snippets',
    description: 'The same for everybody: which kinds there are, and how each begins to send.',
    answer: [CatalogEntryResponse],
  })
  catalog(): CatalogEntryResponse[] {
    return catalogResponse();
  }
}

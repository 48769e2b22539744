import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { Query, Scope } from '../../platform/http/inputs.js';
import { LogRow, LogsQuery } from './logs.dto.js';
import { LogSearchTooLong } from './logs.errors.js';
import { LogsService } from './logs.service.js';

@ApiTags('logs')
@Controller('v1/logs')
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    summary: 'Log rows',
    description:
      'Newest first by event timestamp; no pagination. In `query`, %, _ and \\ stand for themselves. A search that has to look through so much that it takes longer than ten seconds is refused with 503, since an answer with some of the rows would look whole.',
    answer: [LogRow],
    errors: [LogSearchTooLong],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: LogsQuery): Promise<LogRow[]> {
    return this.logs.list(scope, query);
  }
}

import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { TooManyPatternTrials } from '../../../events/conditions/index.js';
import { SilenceHasExpired, SilenceNotFound, TooManySilences } from '../alerts.errors.js';
import { ProjectOfSilence } from './silences.repository.js';
import { CreateSilenceRequest, SilenceResponse, SilencesQuery, UpdateSilenceRequest } from './silences.dto.js';
import { SilencesService } from './silences.service.js';

@ApiTags('alerts')
@Controller('v1/alerts/silences')
export class SilencesController {
  constructor(private readonly silences: SilencesService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listAlertSilences',
    summary: 'Silences',
    description: 'Newest first, 1,000 at most.',
    answer: [SilenceResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: SilencesQuery): Promise<SilenceResponse[]> {
    return this.silences.list(scope, query);
  }

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    operationId: 'createAlertSilence',
    summary: 'Create a silence',
    description:
      'While it is active nobody is told of alert events that fit; they are raised and counted all the same. What still is unresolved afterwards is told then, in one notice each.',
    status: 201,
    answer: SilenceResponse,
    errors: [TooManySilences, TooManyPatternTrials],
  })
  create(@Scope() scope: ProjectMemberScope, @Body() body: CreateSilenceRequest): Promise<SilenceResponse> {
    return this.silences.create(scope, body);
  }

  @Get(':silence_id')
  @Requires({ project: 'viewer', via: ProjectOfSilence })
  @Documented({
    operationId: 'getAlertSilence',
    summary: 'One silence',
    description: 'The state follows from the clock.',
    answer: SilenceResponse,
    errors: [SilenceNotFound],
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('silence_id') id: string): Promise<SilenceResponse> {
    return this.silences.get(scope, id);
  }

  @Patch(':silence_id')
  @Requires({ project: 'operator', via: ProjectOfSilence })
  @Documented({
    operationId: 'updateAlertSilence',
    summary: 'Change a silence',
    description: 'One that has not expired.',
    answer: SilenceResponse,
    errors: [SilenceNotFound, SilenceHasExpired, TooManyPatternTrials],
  })
  update(
    @Scope() scope: ProjectMemberScope,
    @IdParam('silence_id') id: string,
    @Body() body: UpdateSilenceRequest,
  ): Promise<SilenceResponse> {
    return this.silences.update(scope, id, body);
  }

  @Delete(':silence_id')
  @Requires({ project: 'operator', via: ProjectOfSilence })
  @Documented({
    operationId: 'deleteAlertSilence',
    summary: 'End a silence (204)',
    description: 'It stays in the list as expired. May be repeated.',
    status: 204,
    errors: [SilenceNotFound],
  })
  end(@Scope() scope: ProjectMemberScope, @IdParam('silence_id') id: string): Promise<void> {
    return this.silences.end(scope, id);
  }
}

import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { EventSourceNotFound, ProjectQuery } from '../api-keys/index.js';
import {
  ChangeEventSourceRequest,
  CreatedEventSourceResponse,
  CreateEventSourceRequest,
  EventSourceResponse,
} from './event-sources.dto.js';
import { HookCredentialsUnavailable, SourceHasEvents, SourcePlanLimit } from './event-sources.errors.js';
import { EventSourcesService } from './event-sources.service.js';
import { ProjectOfSource } from './event-sources.reader.js';

@ApiTags('ingest-sources')
@Controller('v1/ingest-sources')
export class EventSourcesController {
  constructor(private readonly sources: EventSourcesService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listIngestSources',
    summary: 'Event Sources',
    description: 'Newest first.',
    answer: [EventSourceResponse],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: ProjectQuery,
    @RawRequest() request: Request,
  ): Promise<EventSourceResponse[]> {
    return this.sources.list(scope, request);
  }

  @Post()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'createIngestSource',
    summary: 'Create; returns the first key once',
    description: 'The plan of the organization limits how many a project has, disabled ones included.',
    status: 201,
    answer: CreatedEventSourceResponse,
    errors: [SourcePlanLimit, HookCredentialsUnavailable],
  })
  create(
    @Scope() scope: ProjectMemberScope,
    @Body() body: CreateEventSourceRequest,
    @RawRequest() request: Request,
  ): Promise<CreatedEventSourceResponse> {
    return this.sources.create(scope, body, request);
  }

  @Get(':source_id')
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'getIngestSource',
    summary: 'One Event Source',
    description: 'Its keys, figures and health have routes of their own.',
    answer: EventSourceResponse,
    errors: [EventSourceNotFound],
  })
  get(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') id: string,
    @RawRequest() request: Request,
  ): Promise<EventSourceResponse> {
    return this.sources.get(scope, id, request);
  }

  @Patch(':source_id')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'updateIngestSource',
    summary: 'Change',
    description: 'What is left out stays. A source of type `webhook` that gets another type loses its `hook_url`.',
    answer: EventSourceResponse,
    errors: [EventSourceNotFound, HookCredentialsUnavailable],
  })
  change(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') id: string,
    @Body() body: ChangeEventSourceRequest,
    @RawRequest() request: Request,
  ): Promise<EventSourceResponse> {
    return this.sources.change(scope, id, body, request);
  }

  @Delete(':source_id')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'deleteIngestSource',
    summary: 'Delete a source that never ingested (409 otherwise)',
    description: 'Its keys go with it.',
    status: 204,
    errors: [EventSourceNotFound, SourceHasEvents],
  })
  remove(@Scope() scope: ProjectMemberScope, @IdParam('source_id') id: string): Promise<void> {
    return this.sources.remove(scope, id);
  }

  @Post(':source_id/enable')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'enableIngestSource',
    summary: 'Enable',
    description: 'Enabling again answers the same.',
    answer: EventSourceResponse,
    errors: [EventSourceNotFound],
  })
  enable(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') id: string,
    @RawRequest() request: Request,
  ): Promise<EventSourceResponse> {
    return this.sources.setEnabled(scope, id, true, request);
  }

  @Post(':source_id/disable')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'disableIngestSource',
    summary: 'Disable',
    description:
      'Its keys are refused at ingestion: at once on the instance, within 5 seconds on every other. Disabling again answers the same.',
    answer: EventSourceResponse,
    errors: [EventSourceNotFound],
  })
  disable(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') id: string,
    @RawRequest() request: Request,
  ): Promise<EventSourceResponse> {
    return this.sources.setEnabled(scope, id, false, request);
  }
}

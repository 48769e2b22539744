import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import {
  AcknowledgeFindingRequest,
  DismissFindingRequest,
  FindingResponse,
  FindingsQuery,
  FindingsResponse,
  FindingWithEvidenceResponse,
} from './findings.dto.js';
import {
  FindingIsAcknowledged,
  FindingIsAlreadyDismissed,
  FindingIsDismissed,
  FindingIsResolved,
  FindingNotFound,
} from './findings.errors.js';
import { ProjectOfFinding } from './findings.repository.js';
import { FindingsService } from './findings.service.js';

@ApiTags('sentinel')
@Controller('v1/sentinel/findings')
export class FindingsController {
  constructor(private readonly findings: FindingsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listFindings',
    summary: 'Findings with filters',
    description: 'Newest beginning first.',
    answer: FindingsResponse,
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: FindingsQuery): Promise<FindingsResponse> {
    return this.findings.list(scope, query);
  }

  @Get(':finding_id')
  @Requires({ project: 'viewer', via: ProjectOfFinding })
  @Documented({
    operationId: 'getFinding',
    summary: 'One finding with its evidence series',
    description: 'Points from 24 buckets before it began to 12 after it was last seen, as they were judged.',
    answer: FindingWithEvidenceResponse,
    errors: [FindingNotFound],
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('finding_id') id: string): Promise<FindingWithEvidenceResponse> {
    return this.findings.get(scope, id);
  }

  @Post(':finding_id/acknowledge')
  @Requires({ project: 'member', via: ProjectOfFinding })
  @Documented({
    operationId: 'acknowledgeFinding',
    summary: 'Acknowledge',
    description: 'An open one.',
    answer: FindingResponse,
    errors: [FindingNotFound, FindingIsAcknowledged, FindingIsResolved, FindingIsDismissed],
  })
  acknowledge(
    @Scope() scope: ProjectMemberScope,
    @IdParam('finding_id') id: string,
    @Body() { note = null }: AcknowledgeFindingRequest,
  ): Promise<FindingResponse> {
    return this.findings.acknowledge(scope, id, note);
  }

  @Post(':finding_id/dismiss')
  @Requires({ project: 'member', via: ProjectOfFinding })
  @Documented({
    operationId: 'dismissFinding',
    summary: 'Dismiss with feedback',
    description: 'Mutes its kind and series, and raises their bounds where it was of no use.',
    answer: FindingResponse,
    errors: [FindingNotFound, FindingIsAlreadyDismissed],
  })
  dismiss(
    @Scope() scope: ProjectMemberScope,
    @IdParam('finding_id') id: string,
    @Body() body: DismissFindingRequest,
  ): Promise<FindingResponse> {
    return this.findings.dismiss(scope, id, body);
  }
}

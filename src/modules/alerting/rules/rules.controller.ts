import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { AnswerHead, Body, IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import { ProjectQuery } from '../../entitlement/api-keys/index.js';
import {
  AlertRuleResponse,
  CreateAlertRuleRequest,
  ReplaceRuleLinksRequest,
  UpdateAlertRuleRequest,
} from './rules.dto.js';
import { TooManyPatternTrials } from '../../events/conditions/index.js';
import { ArchiveUnavailable } from '../../events/event-store/index.js';
import { AlertRulePreviewResponse } from './backtest/backtest.dto.js';
import { AlertRuleFails, TooManyBacktests } from './backtest/backtest.service.js';
import { AlertRulesService, TooManyAlertRules } from './rules.service.js';
import { AlertRuleNotFound, ProjectOfAlertRule } from './rules.repository.js';

/**
 * The schema of a preview also has the rule. Many generators of clients give an operation the type of its lowest
 * status, so a creation would have the type of a preview.
 */
const PREVIEW = {
  status: 200,
  description: 'A preview. Its schema also has the rule, for clients that know one schema for both successes',
  schema: { oneOf: [AlertRulePreviewResponse, AlertRuleResponse].map((of) => ({ $ref: getSchemaPath(of) })) },
};

@ApiTags('alert-rules')
@Controller('v1/alert-rules')
export class AlertRulesController {
  constructor(private readonly rules: AlertRulesService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listAlertRules',
    summary: 'Rules',
    description: 'Newest first.',
    answer: [AlertRuleResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() _query: ProjectQuery): Promise<AlertRuleResponse[]> {
    return this.rules.list(scope);
  }

  @Post()
  @Requires({ project: 'operator' })
  @ApiExtraModels(AlertRulePreviewResponse)
  @ApiResponse(PREVIEW)
  @Documented({
    operationId: 'createAlertRule',
    summary: 'Create a rule',
    description:
      'Events accepted and findings opened from now on count; windows reach back. With `preview` nothing is stored: the rule is back-tested, and the answer has the status 200.',
    status: 201,
    answer: AlertRuleResponse,
    errors: [TooManyAlertRules, TooManyPatternTrials, AlertRuleFails, ArchiveUnavailable, TooManyBacktests],
  })
  create(
    @Scope() scope: ProjectMemberScope,
    @Body() body: CreateAlertRuleRequest,
    @AnswerHead() response: Response,
  ): Promise<AlertRuleResponse | AlertRulePreviewResponse> {
    return body.preview ? this.preview(scope, body, response) : this.rules.create(scope, body);
  }

  @Get(':rule_id')
  @Requires({ project: 'viewer', via: ProjectOfAlertRule })
  @Documented({
    operationId: 'getAlertRule',
    summary: 'One rule with its state',
    description: 'The state is that of the last evaluation.',
    answer: AlertRuleResponse,
    errors: [AlertRuleNotFound],
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('rule_id') id: string): Promise<AlertRuleResponse> {
    return this.rules.get(scope, id);
  }

  @Patch(':rule_id')
  @Requires({ project: 'operator', via: ProjectOfAlertRule })
  @Documented({
    operationId: 'updateAlertRule',
    summary: 'Change a rule',
    description:
      'Another kind or grouping, and switching off or on, begin the rule anew; its open alert events stay for people.',
    answer: AlertRuleResponse,
    errors: [AlertRuleNotFound, TooManyPatternTrials],
  })
  update(
    @Scope() scope: ProjectMemberScope,
    @IdParam('rule_id') id: string,
    @Body() body: UpdateAlertRuleRequest,
  ): Promise<AlertRuleResponse> {
    return this.rules.update(scope, id, body);
  }

  @Delete(':rule_id')
  @Requires({ project: 'operator', via: ProjectOfAlertRule })
  @Documented({
    operationId: 'deleteAlertRule',
    summary: 'Delete a rule (204)',
    description: 'Its alert events stay.',
    status: 204,
    errors: [AlertRuleNotFound],
  })
  remove(@Scope() scope: ProjectMemberScope, @IdParam('rule_id') id: string): Promise<void> {
    return this.rules.remove(scope, id);
  }

  @Put(':rule_id/destinations')
  @Requires({ project: 'operator', via: ProjectOfAlertRule })
  @Documented({
    operationId: 'replaceAlertRuleDestinations',
    summary: 'Replace the linked destinations and channels',
    description:
      'Replaces both lists; one that is left out becomes empty. The condition and its state stay as they are.',
    answer: AlertRuleResponse,
    errors: [AlertRuleNotFound],
  })
  replaceLinks(
    @Scope() scope: ProjectMemberScope,
    @IdParam('rule_id') id: string,
    @Body() body: ReplaceRuleLinksRequest,
  ): Promise<AlertRuleResponse> {
    return this.rules.replaceLinks(scope, id, body);
  }

  private preview(
    scope: ProjectMemberScope,
    body: CreateAlertRuleRequest,
    response: Response,
  ): Promise<AlertRulePreviewResponse> {
    response.status(200);
    return this.rules.preview(scope, body);
  }
}

import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type EachProjectScope, type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import {
  AlertEventIsAcknowledged,
  AlertEventIsNotResolved,
  AlertEventIsResolved,
  AlertEventIsSnoozed,
  AlertEventNotFound,
  AssigneeIsNoMember,
  NewerAlertEventIsUnresolved,
} from '../alerts.errors.js';
import {
  AcknowledgeRequest,
  AssignRequest,
  BulkRequest,
  BulkResponse,
  CommentRequest,
  ReopenRequest,
  ResolveRequest,
  SnoozeRequest,
} from './alert-actions.dto.js';
import { AlertActionsService } from './alert-actions.service.js';
import { AlertEventResponse, RaiseAlertRequest } from '../events/alert-events.dto.js';
import { ProjectOfAlertEvent } from '../events/alert-events.repository.js';
import { ArchiveUnavailable } from '../../../events/event-store/index.js';
import { ManualAlertsService } from './manual-alerts.service.js';

const answer = AlertEventResponse;

@ApiTags('alerts')
@Controller('v1/alerts/events')
export class AlertActionsController {
  constructor(
    private readonly actions: AlertActionsService,
    private readonly manual: ManualAlertsService,
  ) {}

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    operationId: 'createAlertEvent',
    summary: 'Raise an alert event by hand',
    description: 'Every enabled webhook destination of the project is told.',
    status: 201,
    answer: AlertEventResponse,
    errors: [ArchiveUnavailable],
  })
  raise(@Scope() scope: ProjectMemberScope, @Body() body: RaiseAlertRequest): Promise<AlertEventResponse> {
    return this.manual.raise(scope, body);
  }

  @Post('bulk')
  @Requires({ each: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'updateAlertEvents',
    summary: 'Acknowledge or resolve many',
    description:
      'Each by itself, as the single request does it, so some may succeed and others not. Takes the role of a member in the project of each; what the caller cannot see is answered as not found.',
    answer: BulkResponse,
  })
  bulk(@Scope() scope: EachProjectScope, @Body() body: BulkRequest): Promise<BulkResponse> {
    return this.actions.bulk(scope, body);
  }

  @Post(':alert_event_id/acknowledge')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'acknowledgeAlertEvent',
    summary: 'Acknowledge',
    description: 'An open or snoozed one.',
    answer,
    errors: [AlertEventNotFound, AlertEventIsAcknowledged, AlertEventIsResolved],
  })
  acknowledge(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() { note }: AcknowledgeRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.acknowledge(scope, id, note);
  }

  @Post(':alert_event_id/resolve')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'resolveAlertEvent',
    summary: 'Resolve',
    description: 'Whoever was told of it is told so. The next match of the rule begins a new one.',
    answer,
    errors: [AlertEventNotFound, AlertEventIsResolved],
  })
  resolve(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() { note }: ResolveRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.resolve(scope, id, note);
  }

  @Post(':alert_event_id/reopen')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'reopenAlertEvent',
    summary: 'Reopen',
    description: 'A resolved one, unless a newer one of the same fingerprint is unresolved. Nobody is told.',
    answer,
    errors: [AlertEventNotFound, AlertEventIsNotResolved, NewerAlertEventIsUnresolved],
  })
  reopen(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() { note }: ReopenRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.reopen(scope, id, note);
  }

  @Post(':alert_event_id/snooze')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'snoozeAlertEvent',
    summary: 'Snooze until a time',
    description:
      'An open or acknowledged one. Until then nobody is told of further occurrences; then it is open again, and they are told in one notice.',
    answer,
    errors: [AlertEventNotFound, AlertEventIsSnoozed, AlertEventIsResolved],
  })
  snooze(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() body: SnoozeRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.snooze(scope, id, body);
  }

  @Post(':alert_event_id/assign')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'assignAlertEvent',
    summary: 'Assign to a member',
    description: 'Null takes the assignment away.',
    answer,
    errors: [AlertEventNotFound, AssigneeIsNoMember],
  })
  assign(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() { user_id: userId }: AssignRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.assign(scope, id, userId);
  }

  @Post(':alert_event_id/comments')
  @Requires({ project: 'member', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'createAlertEventComment',
    summary: 'Comment',
    description: 'Into the timeline.',
    answer,
    errors: [AlertEventNotFound],
  })
  comment(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
    @Body() { body }: CommentRequest,
  ): Promise<AlertEventResponse> {
    return this.actions.comment(scope, id, body);
  }
}

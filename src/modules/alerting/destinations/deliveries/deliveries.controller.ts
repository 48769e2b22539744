import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import {
  AlertDeliveryNotFailed,
  AlertDeliveryNotFound,
  DestinationIsDisabled,
  DestinationIsGone,
} from '../destinations.errors.js';
import {
  AlertDeliveriesQuery,
  AlertDeliveriesResponse,
  AlertDeliveryDetailResponse,
  AlertDeliveryResponse,
  RetryFailedRequest,
  RetryFailedResponse,
} from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { ProjectOfAlertDelivery } from '../outbox/deliveries.repository.js';

@ApiTags('alerts')
@Controller('v1/alerts/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listAlertDeliveries',
    summary: 'Alert deliveries with filters',
    description: 'Newest first.',
    answer: AlertDeliveriesResponse,
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: AlertDeliveriesQuery): Promise<AlertDeliveriesResponse> {
    return this.deliveries.list(scope, query);
  }

  @Post('retry-failed')
  @Requires({ project: 'operator' })
  @Documented({
    operationId: 'retryFailedAlertDeliveries',
    summary: 'Retry failed alert deliveries of a window',
    description: 'Sends up to 1,000 again, those that failed first; repeat it while any remain.',
    answer: RetryFailedResponse,
  })
  retryFailed(@Scope() scope: ProjectMemberScope, @Body() body: RetryFailedRequest): Promise<RetryFailedResponse> {
    return this.deliveries.retryFailed(scope, body);
  }

  @Get(':delivery_id')
  @Requires({ project: 'viewer', via: ProjectOfAlertDelivery })
  @Documented({
    operationId: 'getAlertDelivery',
    summary: 'One alert delivery',
    description:
      'One notification of an alert event to one destination, with the outcome of its sends and the last request. Roles below operator read the address of the request as its origin and `/***`.',
    answer: AlertDeliveryDetailResponse,
    errors: [AlertDeliveryNotFound],
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('delivery_id') id: string): Promise<AlertDeliveryDetailResponse> {
    return this.deliveries.get(scope, id);
  }

  @Post(':delivery_id/retry')
  @Requires({ project: 'operator', via: ProjectOfAlertDelivery })
  @Documented({
    operationId: 'retryAlertDelivery',
    summary: 'Retry a failed alert delivery',
    description: 'Begins it anew under the same id, due at once and with all its tries; the audit keeps how it failed.',
    answer: AlertDeliveryResponse,
    errors: [AlertDeliveryNotFound, AlertDeliveryNotFailed, DestinationIsGone, DestinationIsDisabled],
  })
  retry(@Scope() scope: ProjectMemberScope, @IdParam('delivery_id') id: string): Promise<AlertDeliveryResponse> {
    return this.deliveries.retry(scope, id);
  }
}

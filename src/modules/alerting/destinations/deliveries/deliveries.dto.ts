import {
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import { type ProjectMemberScope, roleAtLeast } from '../../../access/index.js';
import { SENT_REQUEST_DESCRIPTION, SentRequestResponse, sentRequestResponse } from '../../../delivery/sending/index.js';
import { maskedAddress } from '../drivers/destination-driver.js';
import { DESTINATION_TYPES, type DestinationType } from '../drivers/destination-drivers.js';
import type { AlertDelivery } from '../outbox/delivery.entity.js';
import { ALERT_DELIVERY_STATUSES, type AlertDeliveryStatus, MOST_TRIES } from '../outbox/delivery-transitions.js';

export class AlertDeliveriesQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(ALERT_DELIVERY_STATUSES, { optional: true, description: 'Of this status alone' })
  status?: AlertDeliveryStatus;

  @UuidField({ optional: true, description: 'Of this destination alone' })
  destination_id?: string;

  @UuidField({ optional: true, description: 'Of this alert event alone' })
  alert_event_id?: string;

  @DateTimeField({ optional: true, description: 'Made at this time or later' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Made before this time' })
  to_ts?: Date;

  @IntField({ min: 1, max: 100, optional: true, default: 25, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class RetryFailedRequest {
  @UuidField({})
  project_id!: string;

  @DateTimeField({ optional: true, description: 'Made at this time or later; 24 hours before `to_ts` when left out' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Made before this time; now when left out' })
  to_ts?: Date;

  @UuidField({ optional: true, description: 'The alert destination' })
  destination_id?: string;

  @UuidField({ optional: true, description: 'The alert event' })
  alert_event_id?: string;
}

export class RetryFailedResponse {
  @IntField({ min: 0, description: 'Begun anew by this request' })
  retried!: number;

  @IntField({
    min: 0,
    description: 'Failed ones of the window that are left: beyond the bound, or of no enabled destination',
  })
  remaining!: number;
}

export class AlertDeliveryResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The alert event' })
  alert_event_id!: string;

  @UuidField({ description: 'May have been deleted since' })
  destination_id!: string;

  @TextField({ description: 'As it was when the notification was queued' })
  destination_name!: string;

  @EnumField(DESTINATION_TYPES, { description: 'Of the alert destination' })
  destination_type!: DestinationType;

  @EnumField(ALERT_DELIVERY_STATUSES, { description: 'Whether it has arrived' })
  status!: AlertDeliveryStatus;

  @IntField({ min: 0, max: MOST_TRIES, description: 'Failed tries' })
  retry_count!: number;

  @DateTimeField({ nullable: true, description: 'While `retrying`' })
  next_retry_at!: string | null;

  @IntField({ nullable: true, description: 'Of the last try' })
  response_code!: number | null;

  @TextField({ nullable: true, description: "Beginning of the last answer's body, sanitized" })
  response_summary!: string | null;

  @TextField({ nullable: true, description: 'Of the last try; sanitized' })
  failure_reason!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'Null while there is a try to come' })
  completed_at!: string | null;
}

export class AlertDeliveryDetailResponse extends AlertDeliveryResponse {
  @NestedField(() => SentRequestResponse, { nullable: true, description: SENT_REQUEST_DESCRIPTION })
  request!: SentRequestResponse | null;
}

export class AlertDeliveriesResponse extends PageResponse {
  @ListField(nested(() => AlertDeliveryResponse), { description: 'Deliveries of this page' })
  items!: AlertDeliveryResponse[];
}

export function alertDeliveryResponse(delivery: AlertDelivery): AlertDeliveryResponse {
  return {
    id: delivery.id,
    project_id: delivery.projectId,
    alert_event_id: delivery.alertEventId,
    destination_id: delivery.destinationId,
    destination_name: delivery.destinationName,
    destination_type: delivery.destinationType,
    status: delivery.status,
    retry_count: delivery.retryCount,
    next_retry_at: delivery.status === 'retrying' ? (delivery.dueAt?.toISOString() ?? null) : null,
    response_code: delivery.responseCode,
    response_summary: delivery.responseSummary,
    failure_reason: delivery.failureReason,
    created_at: delivery.createdAt.toISOString(),
    completed_at: delivery.completedAt?.toISOString() ?? null,
  };
}

/** @param scope the role of the reader: only operators and admins see whole addresses, which may contain credentials */
export function alertDeliveryDetailResponse(
  { role }: Pick<ProjectMemberScope, 'role'>,
  delivery: AlertDelivery,
): AlertDeliveryDetailResponse {
  const request = sentRequestResponse(delivery.sentRequest ?? null);
  const shown =
    request === null || roleAtLeast(role, 'operator')
      ? request
      : { ...request, url: maskedAddress(new URL(request.url)) };
  return { ...alertDeliveryResponse(delivery), request: shown };
}

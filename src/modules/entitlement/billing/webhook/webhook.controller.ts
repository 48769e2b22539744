import { Controller, Post } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Provider } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { RawBody } from '../../../../platform/http/inputs.js';
import { PaymentNotConfigured } from '../billing.errors.js';
import { WebhookResponse } from './webhook.dto.js';
import { InvalidPayload, InvalidSignature, MissingSignature } from './webhook.errors.js';
import { WebhookService } from './webhook.service.js';

@ApiTags('billing')
@Controller('v1/stripe/webhook')
export class WebhookController {
  constructor(private readonly webhook: WebhookService) {}

  @Post()
  @Provider()
  @ApiHeader({
    name: 'Provider-Signature',
    required: true,
    description: 'Of the raw body, at most 300 seconds old: `t=…,v1=…`. `Stripe-Signature` is taken as well.',
    schema: { type: 'string' },
  })
  @Documented({
    operationId: 'receiveStripeWebhook',
    summary: 'Signed payment-provider events',
    description:
      'For the payment provider alone. Handles `checkout.session.completed` and `customer.subscription.created`, `.updated` and `.deleted`; events of other types are stored and ignored. An event may come late, twice and out of order. One that could not be processed is answered with 500, and processed when it comes again. What events leave open (two of one second, a completed checkout) the provider is asked; where it knows no such subscription, the event is taken as it is.',
    answer: WebhookResponse,
    errors: [MissingSignature, InvalidSignature, InvalidPayload, PaymentNotConfigured],
  })
  receive(@RawBody('An event as the provider sends it') body: Buffer): Promise<WebhookResponse> {
    return this.webhook.receive(body);
  }
}

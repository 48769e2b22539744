import { BooleanField } from '../../../../platform/http/validation/index.js';

export class WebhookResponse {
  @BooleanField({ example: true, description: 'Whether it was done' })
  ok!: boolean;

  @BooleanField({ optional: true, description: 'Present and true: this event was processed before' })
  duplicate?: boolean;

  @BooleanField({
    optional: true,
    description: 'Present and true: it is stored, and says nothing this service acts on',
  })
  ignored?: boolean;
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import {
  EnumField,
  type Issue,
  NestedField,
  ObjectField,
  UrlField,
} from '../../../../platform/http/validation/index.js';
import { stringifyExact } from '../../../../platform/json/index.js';
import { OutboundHttp, standardHeaders } from '../../../../platform/outbound-http/index.js';
import { addressed, type BodyTemplate, TEMPLATE_DOCUMENT, templateFaults } from '../../templates/index.js';
import { outcomeOfHttp, type TryOutcome } from '../../sending/index.js';
import { ChannelAddressValidator } from './channel-address.validator.js';
import { RetryPolicyConfiguration } from './channel-configuration.js';
import type { ChannelDriver, ChannelMessage } from './channel-driver.js';
import { PUBLIC_VALUE_LENGTH, publicHeaderFaults } from './header-rules.js';

export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH'] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** The time limit of a whole send, from name resolution to the end of the answer. */
const DEADLINE_MS = 5_000;

/** Statuses below 500 that are retried. Alert destinations have their own set, which also contains 409. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

class WebhookConfiguration {
  @UrlField({ description: 'Public address; no user name, no credentials in the query' })
  url!: string;

  @EnumField(WEBHOOK_METHODS, { optional: true, default: 'POST', description: 'Of the request' })
  method!: WebhookMethod;

  @ObjectField({
    optional: true,
    default: {},
    description: 'Public headers by name; credentials belong to the protected ones',
    document: { additionalProperties: { type: 'string', maxLength: PUBLIC_VALUE_LENGTH } },
  })
  headers!: Record<string, string>;

  @ObjectField({
    optional: true,
    description: 'Replaces the standard body by that of a preset, or by a body of your own with placeholders',
    document: TEMPLATE_DOCUMENT,
  })
  template?: BodyTemplate & Record<string, unknown>;

  @NestedField(() => RetryPolicyConfiguration, { optional: true, description: 'When a failed attempt is tried again' })
  retry_policy?: RetryPolicyConfiguration;
}

/** Sends the notification as JSON in one request. */
@Injectable()
export class WebhookDriver implements ChannelDriver<WebhookConfiguration> {
  static readonly configurationClass = WebhookConfiguration;

  readonly configuration = WebhookConfiguration;
  readonly isSigned = true;
  readonly headers = {
    namesOf: ({ headers }: WebhookConfiguration): string[] => Object.keys(headers),
    addressOf: ({ url }: WebhookConfiguration): string => url,
  };

  constructor(
    private readonly http: OutboundHttp,
    private readonly addresses: ChannelAddressValidator,
    private readonly clock: Clock,
  ) {}

  faultsOf({ headers, template }: WebhookConfiguration, at: Issue['loc']): Issue[] {
    const faults = template === undefined ? [] : templateFaults(template, [...at, 'template']);
    return [...publicHeaderFaults(headers, [...at, 'headers']), ...faults];
  }

  async admit(configuration: WebhookConfiguration, projectId: string): Promise<WebhookConfiguration> {
    return { ...configuration, url: await this.addresses.admit(configuration.url, projectId) };
  }

  isSendable({ url }: WebhookConfiguration): Promise<boolean> {
    return this.addresses.isValid(url);
  }

  async deliver(message: ChannelMessage<WebhookConfiguration>, deadlineMs: number): Promise<TryOutcome> {
    const { notification, tryNumber, protectedHeaders, signingKeys, confidential, rendered } = message;
    const { method, headers } = message.configuration;
    const { url, body: content } = addressed(
      rendered ?? { body: notification, closing: null },
      message.configuration.url,
    );
    const body = Buffer.from(stringifyExact(content), 'utf8');
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const ownHeaders = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Delivery/1.0',
      'X-Service-Delivery-Id': notification.attempt_id,
      'X-Service-Attempt': String(tryNumber),
      'X-Service-Timestamp': String(timestamp),
      ...standardHeaders({ secrets: signingKeys, timestamp, id: notification.id, body }),
    };
    // A preset may add headers that carry credentials.
    const hiddenHeaders = { ...rendered?.headers, ...protectedHeaders };
    const outcome = await this.http.send({
      url,
      method,
      headers: { ...rendered?.headers, ...headers, ...protectedHeaders, ...ownHeaders },
      body,
      deadlineMs: Math.min(DEADLINE_MS, deadlineMs),
      refuseCredentialQuery: true,
      share: notification.project_id,
    });
    const rules = {
      isRetryable: (status: number) => RETRYABLE.has(status) || (status >= 500 && status < 600),
      hearsRetryAfter: (status: number) => status === 429 || status === 503,
      secrets: confidential,
      request: {
        method,
        try_number: tryNumber,
        content_length: body.length,
        header_names: Object.keys(headers),
        protected_header_names: Object.keys(protectedHeaders),
      },
      sent: { method, url, ownHeaders, publicHeaders: headers, protectedHeaders: hiddenHeaders, body },
    };
    return outcomeOfHttp(outcome, rules, this.clock.now());
  }
}

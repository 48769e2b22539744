import type { Type } from '@nestjs/common';
import type { Issue } from '../../../../platform/http/fields/index.js';
import type { TryOutcome } from '../../sending/index.js';
import type { ChannelConfiguration } from './channel-configuration.js';

/** What receivers are told (DECISIONS 8); the same in every try of an attempt. */
export interface Notification {
  /** Of the notification: a replay or a drain repeats it, with an `attempt_id` of its own. */
  readonly id: string;
  readonly type: 'test' | 'rule_match';
  readonly attempt_id: string;
  readonly project_id: string;
  readonly channel_id: string;
  readonly rule: Record<string, unknown> | null;
  readonly event: Record<string, unknown> | null;
  readonly created_at: string;
}

/** One try of a notification, with all that sending it takes. */
export interface ChannelMessage<C extends ChannelConfiguration = ChannelConfiguration> {
  readonly notification: Notification;
  readonly configuration: C;
  /** 1 for the first send. */
  readonly tryNumber: number;
  /** By name, in plain: they live as long as the request is built and its answer cleaned of them. */
  readonly protectedHeaders: Readonly<Record<string, string>>;
  /** What evidence must not tell: the values of the protected headers, and secrets in them. */
  readonly confidential: readonly string[];
  /** Recipients that have taken it in earlier tries. */
  readonly deliveredTo: readonly string[];
}

interface SentHeaders<C extends ChannelConfiguration> {
  /** Of those that anybody may read. */
  namesOf(configuration: C): readonly string[];
  /** Where they are sent. */
  addressOf(configuration: C): string;
}

/**
 * One kind of channel: its configuration with what is checked of it, and how it sends. It is all that the service knows of
 * the kind; {@link CHANNEL_DRIVERS} lists them.
 */
export interface ChannelDriver<C extends ChannelConfiguration = ChannelConfiguration> {
  /** Its fields with their rules and defaults. */
  readonly configuration: Type<C>;

  /** Null: the kind sends no headers, and so has no protected ones either. */
  readonly headers: SentHeaders<C> | null;

  /** What the rules of the fields cannot say. @returns rows whose places begin with that of the configuration, `at` */
  faultsOf(configuration: C, at: Issue['loc']): Issue[];

  /**
   * The configuration as it will be stored. May look a name up, for 2 seconds at most.
   * @throws ValidationError for an address that must not be delivered to
   */
  admit(configuration: C, projectId: string): Promise<C>;

  /** Whether a stored configuration could be sent to as far as its form tells: nothing is looked up. */
  isSendable(configuration: C): Promise<boolean>;

  /**
   * Sends it once. Never rejects for what the other side does; the outcome is evidence, sanitized and without secrets.
   * @param deadlineMs what is left of the lease at most; the driver's own limit is shorter as a rule
   */
  deliver(message: ChannelMessage<C>, deadlineMs: number): Promise<TryOutcome>;
}

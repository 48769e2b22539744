import type { Type } from '@nestjs/common';
import type { Issue } from '../../../../platform/http/validation/index.js';
import type { RenderedRequest } from '../../templates/index.js';
import type { TryOutcome } from '../../sending/index.js';
import type { ChannelConfiguration } from './channel-configuration.js';

/** The notification that a receiver gets. It is the same in every send of an attempt. */
export interface Notification {
  /** The id of the notification. A replay or drain repeats this id with another `attempt_id`. */
  readonly id: string;
  readonly type: 'test' | 'rule_match';
  readonly attempt_id: string;
  readonly project_id: string;
  readonly channel_id: string;
  readonly rule: Record<string, unknown> | null;
  readonly event: Record<string, unknown> | null;
  readonly created_at: string;
}

/** Everything that one send of a notification needs. */
export interface ChannelMessage<C extends ChannelConfiguration = ChannelConfiguration> {
  readonly notification: Notification;
  readonly configuration: C;
  /** 1 for the first send. */
  readonly tryNumber: number;
  /** Decrypted values by name. They are kept only until the request is built and its response is sanitized. */
  readonly protectedHeaders: Readonly<Record<string, string>>;
  /** Texts that must not appear in evidence: the values of the protected headers, and the secrets in these values. */
  readonly confidential: readonly string[];
  /** The request of the template; null: the channel has none, and sends the notification itself. */
  readonly rendered: RenderedRequest | null;
  /** The keys that sign the request, newest first: several while a secret is rotated, none for unsigned channels. */
  readonly signingKeys: readonly Buffer[];
  /** Recipients that have accepted the notification in earlier sends. */
  readonly deliveredTo: readonly string[];
}

interface SentHeaders<C extends ChannelConfiguration> {
  /** Returns the names of the public headers. */
  namesOf(configuration: C): readonly string[];
  /** Returns the address that the headers are sent to. */
  addressOf(configuration: C): string;
}

/**
 * One type of channel: its configuration, the checks of the configuration, and how it sends. No other code depends on
 * the type; {@link CHANNEL_DRIVERS} lists all drivers.
 */
export interface ChannelDriver<C extends ChannelConfiguration = ChannelConfiguration> {
  /** The class of the configuration: its fields with their rules and defaults. */
  readonly configuration: Type<C>;

  /** Null: channels of this type send no headers, so they have no protected headers either. */
  readonly headers: SentHeaders<C> | null;

  /** Whether new channels of this type get a secret that signs their requests. */
  readonly isSigned: boolean;

  /**
   * Checks what the rules of the fields cannot express.
   * @returns issues whose locations begin with `at`, the location of the configuration
   */
  faultsOf(configuration: C, at: Issue['loc']): Issue[];

  /**
   * Returns the configuration to store. May resolve a host name, for at most 2 seconds.
   * @throws ValidationError for an address that must not be sent to
   */
  admit(configuration: C, projectId: string): Promise<C>;

  /** Returns whether the form of a stored configuration allows a send. No host name is resolved. */
  isSendable(configuration: C): Promise<boolean>;

  /**
   * Sends the notification once. Failures of the receiver are an outcome and never reject. The outcome is sanitized and
   * contains no secrets.
   * @param deadlineMs the time limit, at most what is left of the lease; drivers usually have a shorter limit
   */
  deliver(message: ChannelMessage<C>, deadlineMs: number): Promise<TryOutcome>;
}

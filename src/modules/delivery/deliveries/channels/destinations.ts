import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../../../platform/http/fields/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';
import {
  type ChannelConfiguration,
  type ChannelType,
  isConfiguration,
  isWebhook,
  ruleIssue,
} from './channel-configuration.js';

const RULES = { refuseCredentialQuery: true };

/** Where channels may lead (SERVICE 8.3); sending asks again. */
@Injectable()
export class Destinations {
  constructor(private readonly safety: DestinationSafety) {}

  /**
   * The configuration with its address as it will be sent. Looks the name up for 2 seconds at most.
   * @throws ValidationError for an address that must not be delivered to
   */
  async admit(configuration: ChannelConfiguration, projectId: string): Promise<ChannelConfiguration> {
    if (!isWebhook(configuration)) return configuration;
    const parsed = parseDestination(configuration.url, RULES);
    const problem = parsed.ok ? await this.safety.checkAtConfiguration(parsed.url, projectId) : parsed.problem;
    if (!parsed.ok || problem !== null) {
      // Without path and query: what is wrong with them may be the credential in them.
      const shown = URL.parse(configuration.url)?.origin ?? '[redacted]';
      throw new ValidationError([ruleIssue(['body', 'configuration', 'url'], problem ?? 'URL is not valid', shown)]);
    }
    return { ...configuration, url: parsed.url.href };
  }

  /** Whether a stored destination could be sent to as far as its form tells: nothing is looked up. */
  async isValid(type: ChannelType, stored: unknown): Promise<boolean> {
    if (!isConfiguration(type, stored)) return false;
    if (!isWebhook(stored)) return true;
    const parsed = parseDestination(stored.url, RULES);
    if (!parsed.ok) return false;
    // With a signal that has come already, only addresses and names that need no look-up are judged.
    return (await this.safety.vet(parsed.url, AbortSignal.abort(), '')).kind !== 'unsafe';
  }
}

import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../../../platform/http/fields/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';
import { ruleIssue } from './channel-configuration.js';

const RULES = { refuseCredentialQuery: true };

/** Where channels with an address may lead (SERVICE 8.3); sending asks again. */
@Injectable()
export class ChannelAddressValidator {
  constructor(private readonly safety: DestinationSafety) {}

  /**
   * The address as it will be sent to. Looks the name up for 2 seconds at most.
   * @throws ValidationError at `body.configuration.url` for an address that must not be delivered to
   */
  async admit(url: string, projectId: string): Promise<string> {
    const parsed = parseDestination(url, RULES);
    const problem = parsed.ok ? await this.safety.checkAtConfiguration(parsed.url, projectId) : parsed.problem;
    if (!parsed.ok || problem !== null) {
      // Without path and query: what is wrong with them may be the credential in them.
      const shown = URL.parse(url)?.origin ?? '[redacted]';
      throw new ValidationError([ruleIssue(['body', 'configuration', 'url'], problem ?? 'URL is not valid', shown)]);
    }
    return parsed.url.href;
  }

  /** Whether it could be sent to as far as its form tells: nothing is looked up. */
  async isValid(url: string): Promise<boolean> {
    const parsed = parseDestination(url, RULES);
    if (!parsed.ok) return false;
    // With a signal that has come already, only addresses and names that need no look-up are judged.
    return (await this.safety.vet(parsed.url, AbortSignal.abort(), '')).kind !== 'unsafe';
  }
}

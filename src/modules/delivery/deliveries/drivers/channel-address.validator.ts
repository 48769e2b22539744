import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../../../platform/http/validation/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';
import { ruleIssue } from './channel-configuration.js';

const RULES = { refuseCredentialQuery: true };

/**
 * Refuses channel addresses that {@link DestinationSafety} does not allow, or that have credentials in the query. Each
 * send checks the address again.
 */
@Injectable()
export class ChannelAddressValidator {
  constructor(private readonly safety: DestinationSafety) {}

  /**
   * Returns the address in the form that requests are sent to. Resolves its host name, for at most 2 seconds.
   * @throws ValidationError at `body.configuration.url` for an address that must not be sent to
   */
  async admit(url: string, projectId: string): Promise<string> {
    const parsed = parseDestination(url, RULES);
    const problem = parsed.ok ? await this.safety.checkAtConfiguration(parsed.url, projectId) : parsed.problem;
    if (!parsed.ok || problem !== null) {
      // The error shows only the origin, because the invalid part of a path or query may be a credential.
      const shown = URL.parse(url)?.origin ?? '[redacted]';
      throw new ValidationError([ruleIssue(['body', 'configuration', 'url'], problem ?? 'URL is not valid', shown)]);
    }
    return parsed.url.href;
  }

  /** Returns whether the form of the address allows a send. No host name is resolved. */
  async isValid(url: string): Promise<boolean> {
    const parsed = parseDestination(url, RULES);
    if (!parsed.ok) return false;
    // With an aborted signal, `vet` checks only IP addresses and host names that need no resolution.
    return (await this.safety.vet(parsed.url, AbortSignal.abort(), '')).kind !== 'unsafe';
  }
}

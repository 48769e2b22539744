import { Injectable } from '@nestjs/common';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';

/** Refuses addresses of destinations that {@link DestinationSafety} does not allow. Each send checks them again. */
@Injectable()
export class TargetAddressValidator {
  constructor(private readonly safety: DestinationSafety) {}

  /**
   * Returns the address in the form that requests are sent to. Resolves its host name, for at most 2 seconds.
   * @throws ValidationError for an address that must not be sent to; it does not repeat the address
   */
  async admit(text: string, projectId: string): Promise<URL> {
    const parsed = parseDestination(text, { refuseCredentialQuery: false });
    if (!parsed.ok) throw refused(parsed.problem);
    const problem = await this.safety.checkAtConfiguration(parsed.url, projectId);
    if (problem !== null) throw refused(problem);
    return parsed.url;
  }
}

function refused(problem: string): Error {
  return brokenRule(['body', 'target_url'], problem, '[redacted]');
}

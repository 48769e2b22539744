import { Injectable } from '@nestjs/common';
import { brokenRule } from '../../../../platform/http/fields/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';
import type { DestinationType } from './destination.entity.js';

/** Where destinations may lead (SERVICE 8.3); sending asks again. */
@Injectable()
export class TargetAddresses {
  constructor(private readonly safety: DestinationSafety) {}

  /**
   * The address as it will be sent to. Looks its name up for 2 seconds at most.
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

/** How an address is shown. The path of a Slack address is its credential. */
export function shownAddress(type: DestinationType, url: URL): string {
  return type === 'slack' ? `${url.origin}/***` : url.href;
}

function refused(problem: string): Error {
  return brokenRule(['body', 'target_url'], problem, '[redacted]');
}

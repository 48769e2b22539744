import { Resolver } from 'node:dns/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import { errorCode } from '../../../../platform/errors/index.js';
import { RECORD_LABEL } from './domain-name.js';

/** The time limit of a lookup, including the wait for a slot. */
const LOOKUP_TIMEOUT_MS = 5_000;
const TRY_TIMEOUT_MS = 1_500;
const MAX_TRIES = 2;
const MAX_LOOKUPS = 20;
const MAX_LOOKUPS_PER_ORGANIZATION = 2;
const MAX_WAITING = 100;
const MAX_WAITING_PER_ORGANIZATION = 8;
/** Further records and longer records are ignored. There is no reason for more than a few records with this name. */
const MAX_RECORDS = 50;
const MAX_RECORD_LENGTH = 1_000;
/** Error codes for a name or record that does not exist. */
const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

const VALUE_PREFIX = 'operational-event-service=';

export type RecordState = 'present' | 'missing' | 'different' | 'unanswered';

/** Returns the name and the value of the TXT record that proves control over a domain. */
export function recordOf({ domain, challenge }: { readonly domain: string; readonly challenge: string }) {
  return { name: `${RECORD_LABEL}.${domain}`, value: VALUE_PREFIX + challenge };
}

/**
 * Looks up TXT records that prove control over a domain. Each lookup has its own resolver, so that nothing is cached
 * and cancelling ends only this lookup.
 */
@Injectable()
export class DomainRecords implements OnApplicationShutdown {
  private readonly slots = new FairSemaphore({
    parallel: MAX_LOOKUPS,
    maxPerKey: MAX_LOOKUPS_PER_ORGANIZATION,
    maxQueued: MAX_WAITING,
    maxQueuedPerKey: MAX_WAITING_PER_ORGANIZATION,
  });
  private readonly stopping = new AbortController();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /**
   * Returns whether the record exists. Takes at most 5 seconds.
   * @param share the id of the organization. Lookups of one organization do not delay lookups of another
   * @throws OverloadedError when too many lookups wait
   */
  async stateOf(claim: { readonly domain: string; readonly challenge: string }, share: string): Promise<RecordState> {
    const { name, value } = recordOf(claim);
    const signal = AbortSignal.any([AbortSignal.timeout(LOOKUP_TIMEOUT_MS), this.stopping.signal]);
    try {
      const records = await this.slots.run(share, () => this.lookUp(name, signal), signal);
      if (records.length === 0) return 'missing';
      const isPresent = records
        .slice(0, MAX_RECORDS)
        .some((record) => record.length <= MAX_RECORD_LENGTH && record.trim() === value);
      return isPresent ? 'present' : 'different';
    } catch (error) {
      if (signal.aborted) return 'unanswered';
      const code = errorCode(error);
      if (code === undefined) throw error;
      return NO_SUCH_RECORD.has(code) ? 'missing' : 'unanswered';
    }
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Returns the text of each record. */
  private async lookUp(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: MAX_TRIES });
    if (this.config.ssoDnsServers.length > 0) resolver.setServers(this.config.ssoDnsServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // The final dot makes the name absolute, so no search domain is tried.
      const records = await resolver.resolveTxt(`${name}.`);
      // A record consists of parts of up to 255 bytes.
      return records.map((pieces) => pieces.join(''));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

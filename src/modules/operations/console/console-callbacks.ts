import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BodyBudget, strangerAt } from '../../../platform/http/body-budget.js';
import { bodyBytes } from '../../../platform/http/body-bytes.js';
import { turnOf } from '../../../platform/http/stranger-turn.js';
import { BodyTooLarge } from '../../../platform/http/domain-error.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const PATH = '/oauth/callback';
/** What a provider comes back with takes some hundred bytes, and with a name a little more. */
const MAX_BYTES = 16 * 1024;
/** Of the address it goes on in: front ends take some kilobytes of headers. */
const MOST_ADDRESS = 4 * 1024;
const CARRIED = ['code', 'state', 'iss', 'user'];

/**
 * Providers that post a form where others redirect (Apple) reach a page that reads addresses: what the form carries goes on behind
 * the `#`, where no log sees it.
 */
@Injectable()
export class ConsoleCallbacks {
  constructor(private readonly budget: BodyBudget) {}

  find(method: string, path: string): Answer | undefined {
    return method === 'POST' && path === PATH ? this.passOn : undefined;
  }

  private readonly passOn: Answer = async (request, response) => {
    const share = this.budget.shareOf(strangerAt(addressBucket(request.ip)));
    // The request gives its place back while its body arrives.
    const turn = turnOf(request);
    turn?.leave();
    const { bytes, release } = await bodyBytes(request, { maxBytes: MAX_BYTES, inflates: false, share });
    release();
    await turn?.enter();
    const given = new URLSearchParams(bytes.toString('utf8'));
    const carried = new URLSearchParams();
    for (const name of CARRIED) {
      const value = given.get(name);
      if (value !== null) carried.set(name, value);
    }
    const address = `/console${PATH}#${carried.toString()}`;
    if (address.length > MOST_ADDRESS) throw new BodyTooLarge();
    response.status(303).location(address).end();
  };
}

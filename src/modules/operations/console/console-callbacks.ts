import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BodyBudget, strangerAt } from '../../../platform/http/body-budget.js';
import { bodyBytes } from '../../../platform/http/body-bytes.js';
import { slotOf } from '../../../platform/http/stranger-slot.js';
import { BodyTooLarge } from '../../../platform/http/domain-error.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const PATH = '/oauth/callback';
/**
 * Maximum size of a provider's form. A form has some hundred bytes, and a few more when it contains the user's name.
 */
const MAX_BYTES = 16 * 1024;
/** Maximum length of the address to redirect to. Reverse proxies accept only some kilobytes of headers. */
const MOST_ADDRESS = 4 * 1024;
const CARRIED = ['code', 'state', 'iss', 'user'];

/**
 * Receives the form that some sign-in providers (Apple) post instead of redirecting the browser, and redirects to the
 * page. The page reads only its address, so the redirect carries the fields of the form after `#`. No log contains that
 * part of an address.
 */
@Injectable()
export class ConsoleCallbacks {
  constructor(private readonly budget: BodyBudget) {}

  find(method: string, path: string): Answer | undefined {
    return method === 'POST' && path === PATH ? this.passOn : undefined;
  }

  private readonly passOn: Answer = async (request, response) => {
    const share = this.budget.shareOf(strangerAt(addressBucket(request.ip)));
    // The request releases its admission slot while its body arrives.
    const slot = slotOf(request);
    slot?.leave();
    const { bytes, release } = await bodyBytes(request, { maxBytes: MAX_BYTES, inflates: false, share });
    release();
    await slot?.enter();
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

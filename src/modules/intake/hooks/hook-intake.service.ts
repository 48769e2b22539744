import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type { HookScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { UnsupportedMediaType } from '../../../platform/http/domain-error.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { parsePairs } from '../../../platform/http/pairs.js';
import { HookNotFound, type HookScheme, SourceHookAuthenticator } from '../../entitlement/sources/index.js';
import { answered, IntakeResponse, IntakeService, readValue } from '../core/index.js';
import { deliveryDraft, readTrial } from './hook-draft.js';
import type { HookChallengeResponse } from './hook-intake.dto.js';
import { HookTimestampOutOfRange, InvalidHookSignature } from './hook-intake.errors.js';
import { type Verdict, verifyDelivery } from './verify-delivery.js';

const JSON_MEDIA_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json$/;
const FORM = 'application/x-www-form-urlencoded';

/** The media types of a request, each with its schema. */
export const HOOK_BODY = {
  // The schema is an object, because generators cannot write an example of arbitrary JSON. Nearly all providers send
  // objects.
  'application/json': {
    type: 'object',
    additionalProperties: true,
    description: 'The webhook as its provider sends it. JSON that is no object is stored as `data`',
  },
  [FORM]: {
    type: 'object',
    required: ['payload'],
    properties: { payload: { type: 'string', description: 'JSON text' } },
    description: 'The webhook of GitHub as a form',
  },
};

const NOTHING_STORED = { accepted: 0, rejected: 0, duplicates: 0, results: [] };

const REFUSALS = {
  invalid_signature: InvalidHookSignature,
  timestamp_out_of_range: HookTimestampOutOfRange,
} satisfies Readonly<Record<Exclude<Verdict, 'valid'>, unknown>>;

interface HookRequest {
  readonly scope: HookScope;
  readonly body: Buffer;
  readonly request: CheckedRequest;
  readonly requestId: string;
}

/** Receives the webhooks of a source. No part of a body is read before its signature is verified. */
@Injectable()
export class HookIntakeService {
  constructor(
    private readonly hooks: SourceHookAuthenticator,
    private readonly intake: IntakeService,
    private readonly clock: Clock,
  ) {}

  async take({ scope, body, request, requestId }: HookRequest): Promise<IntakeResponse | HookChallengeResponse> {
    const { headers } = request;
    const identity = await this.hooks.identityOf(request);
    if (identity === null) throw new HookNotFound();
    const verdict = verifyDelivery(this.hooks.open(identity), { headers, body }, this.clock.now());
    if (verdict !== 'valid') {
      const refusal = new REFUSALS[verdict]();
      await this.hooks.refuse(scope, verdict, refusal.status, requestId);
      throw refusal;
    }
    const text = jsonOf(identity.scheme, headers, body);
    const trial = readTrial(identity, { headers, text });
    if (trial !== null) return 'challenge' in trial ? trial : NOTHING_STORED;
    const { organizationId, projectId, sourceId } = scope;
    const sender = { organizationId, projectId, sourceId, apiKeyId: null, isHook: true };
    const answer = await this.intake.submit({
      sender,
      size: text.length,
      items: async ({ redaction, rest }) => {
        const value = text.length === 0 ? undefined : readValue(text);
        await rest();
        return [{ draft: deliveryDraft(identity, { headers, value }, redaction.properties) }];
      },
      requestId,
    });
    return answered(request, answer);
  }
}

/**
 * Returns the JSON text of a body. GitHub may send it as the field `payload` of a form.
 * @throws UnsupportedMediaType, ValidationError for a form without one payload
 */
function jsonOf(scheme: HookScheme, headers: IncomingHttpHeaders, body: Buffer): Buffer {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === '' || JSON_MEDIA_TYPE.test(mediaType)) return body;
  const takesForms = scheme === 'github';
  if (!takesForms || mediaType !== FORM) {
    throw new UnsupportedMediaType({ 'Accept-Post': takesForms ? `application/json, ${FORM}` : 'application/json' });
  }
  const { payload } = parsePairs(body.toString('utf8'), 'body');
  if (typeof payload !== 'string') throw brokenRule(['body', 'payload'], 'the form needs one payload', null);
  return Buffer.from(payload);
}

import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Hook, type HookScope, ProjectNotFound } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import {
  BodyBytes,
  type CheckedRequest,
  RawRequest,
  RequestId,
  Scope,
  TextParam,
} from '../../../platform/http/inputs.js';
import { UnsupportedMediaType } from '../../../platform/http/domain-error.js';
import { EventSourceDisabled, EventSourceNotFound } from '../../entitlement/api-keys/index.js';
import { HookCredentialsUnavailable, HookNotFound } from '../../entitlement/sources/index.js';
import { IntakeResponse, MAX_INTAKE_BYTES, STORE_ERRORS } from '../core/index.js';
import { HookChallengeResponse } from './hook-intake.dto.js';
import { HookTimestampOutOfRange, InvalidHookSignature } from './hook-intake.errors.js';
import { HOOK_BODY, HookIntakeService } from './hook-intake.service.js';

@ApiTags('intake')
@Controller('intake/hooks')
export class HookIntakeController {
  constructor(private readonly hooks: HookIntakeService) {}

  @Post(':hook_id')
  @Hook()
  @Documented({
    operationId: 'sendWebhook',
    summary: 'Send a webhook',
    description:
      'Takes the webhook of a provider at the `hook_url` of a source, up to 5 MiB of JSON. The scheme of the source decides how its signature is verified, what the event is called, and by which id a repeat is recognized for 24 hours. GitHub may send a form. `ping` of GitHub and `url_verification` of Slack are answered and not stored.',
    answer: { oneOf: [IntakeResponse, HookChallengeResponse] },
    errors: [
      ...STORE_ERRORS,
      EventSourceDisabled,
      EventSourceNotFound,
      ProjectNotFound,
      HookNotFound,
      InvalidHookSignature,
      HookTimestampOutOfRange,
      HookCredentialsUnavailable,
      UnsupportedMediaType,
    ],
  })
  take(
    @Scope() scope: HookScope,
    @TextParam('hook_id', { min: 32, max: 32 }) _id: string,
    @BodyBytes({ maxBytes: MAX_INTAKE_BYTES, content: HOOK_BODY }) body: Buffer,
    @RawRequest() request: CheckedRequest,
    @RequestId() requestId: string,
  ): Promise<IntakeResponse | HookChallengeResponse> {
    return this.hooks.take({ scope, body, request, requestId });
  }
}

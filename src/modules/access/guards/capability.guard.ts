import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { mapMaybePromise } from '../../../platform/concurrency/index.js';
import type { ReadBody } from '../../../platform/http/body-reader.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { Authorizer } from '../authorizer.js';
import type { AccessScope } from '../scope.js';
import { RequestBodyReader } from './request-body.reader.js';
import { type Checks, RouteChecks } from './route-checks.js';

/**
 * Checks that the organization or project that the request names exists, that the caller is a member of it, and that
 * their role or its capabilities are enough. The tenant id may be in the body, so the body is read first.
 */
@Injectable()
export class CapabilityGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly authorizer: Authorizer,
    private readonly bodies: RequestBodyReader,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CheckedRequest>();
    const checks = this.routes.of(context);
    const caller = callerOf(checks);
    return mapMaybePromise(this.bodies.of(checks, request, http.getResponse<Response>()), (body) => {
      // An API key is valid for one project only, so no lookup is needed. Ingestion with API keys takes this branch.
      if (checks.plan.access.kind !== 'api-key') return this.decide(checks, caller, request, body);
      checks.decision = caller;
      return true;
    });
  }

  private async decide(
    checks: Checks,
    caller: AccessScope | null,
    request: CheckedRequest,
    body: ReadBody,
  ): Promise<boolean> {
    checks.decision = await this.authorizer.authorize(checks.plan, caller, request, body);
    return true;
  }
}

function callerOf({ caller, credential }: Checks): AccessScope | null {
  if (caller !== undefined) return caller;
  if (credential !== 'none') throw new Error(`no guard has looked at the credential of this route: ${credential}`);
  return null;
}

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { Authorizer } from '../authorizer.js';
import type { AccessScope } from '../scope.js';
import { RequestBodyReader } from './request-body.reader.js';
import { type Checks, RouteChecks } from './route-checks.js';

/**
 * What the caller may do: that the organization or project which the request names is there, that they are a member of it, and
 * that their role or its capabilities suffice. The tenant may stand in the body, so it is read first.
 */
@Injectable()
export class CapabilityGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly authorizer: Authorizer,
    private readonly bodies: RequestBodyReader,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CheckedRequest>();
    const checks = this.routes.of(context);
    const caller = callerOf(checks);
    const body = await this.bodies.of(checks, request, http.getResponse<Response>());
    const { plan } = checks;
    // A key opens its own project and nothing else has to be looked up: ingestion comes this way.
    checks.decision =
      plan.access.kind === 'api-key' ? caller : await this.authorizer.authorize(plan, caller, request, body);
    return true;
  }
}

function callerOf({ caller, credential }: Checks): AccessScope | null {
  if (caller !== undefined) return caller;
  if (credential !== 'none') throw new Error(`no guard has looked at the credential of this route: ${credential}`);
  return null;
}

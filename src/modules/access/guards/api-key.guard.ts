import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { ApiKeyAuthenticator } from '../ports.js';
import { type Checks, RouteChecks } from './route-checks.js';

/** Admits senders and readers of one project, by an API key with the scopes that the route requires. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly apiKeys: ApiKeyAuthenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.routes.of(context);
    return checks.credential === 'api-key' ? this.admit(context, checks) : true;
  }

  private async admit(context: ExecutionContext, checks: Checks): Promise<boolean> {
    const { access } = checks.plan;
    if (access.kind !== 'api-key' && access.kind !== 'member-or-key') return false;
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    checks.caller = await this.apiKeys.authenticate(request, access.scopes);
    return true;
  }
}

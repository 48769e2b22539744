import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { ScimAuthenticator } from '../ports.js';
import { type Checks, RouteChecks } from './route-checks.js';

/** Admits the identity provider of an organization by its token for SCIM. */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly tokens: ScimAuthenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.routes.of(context);
    return checks.credential === 'scim' ? this.admit(context, checks) : true;
  }

  private async admit(context: ExecutionContext, checks: Checks): Promise<boolean> {
    checks.caller = await this.tokens.authenticate(context.switchToHttp().getRequest<CheckedRequest>());
    return true;
  }
}

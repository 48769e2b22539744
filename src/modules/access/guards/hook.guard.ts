import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { HookAuthenticator } from '../ports.js';
import { type Checks, RouteChecks } from './route-checks.js';

/** Admits webhooks by the secret address of an Event Source. */
@Injectable()
export class HookGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    private readonly hooks: HookAuthenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.routes.of(context);
    return checks.credential === 'hook' ? this.admit(context, checks) : true;
  }

  private async admit(context: ExecutionContext, checks: Checks): Promise<boolean> {
    checks.caller = await this.hooks.authenticate(context.switchToHttp().getRequest<CheckedRequest>());
    return true;
  }
}

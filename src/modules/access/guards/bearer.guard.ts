import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { BearerAuthenticator, type VerifiedToken } from '../ports.js';
import { type Checks, RouteChecks } from './route-checks.js';

/** People, by their access token: passport verifies it, and the session behind it has to be alive. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  constructor(
    private readonly routes: RouteChecks,
    private readonly bearers: BearerAuthenticator,
  ) {
    super({ defaultStrategy: bearers.strategy, session: false });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.routes.of(context);
    return checks.credential === 'bearer' ? this.admit(context, checks) : true;
  }

  /** What passport made of the token; a fault of ours is no bad token. */
  override handleRequest<Verified = VerifiedToken>(
    error: Error | null | undefined,
    verified: Verified | false | undefined,
  ): Verified {
    if (error !== null && error !== undefined) throw error;
    if (verified === false || verified === undefined) throw new NotAuthenticated();
    return verified;
  }

  private async admit(context: ExecutionContext, checks: Checks): Promise<boolean> {
    if ((await super.canActivate(context)) !== true) return false;
    const { user: token } = context.switchToHttp().getRequest<{ user: VerifiedToken }>();
    const user = await this.bearers.admit(token);
    if (user === null) throw new NotAuthenticated();
    checks.caller = user;
    return true;
  }
}

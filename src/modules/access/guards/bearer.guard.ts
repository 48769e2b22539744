import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { BearerAuthenticator, type VerifiedToken } from '../ports.js';
import { type Checks, RouteChecks } from './route-checks.js';

/** Admits users by their access token. passport verifies the token, and the session of the token must be active. */
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

  /**
   * Returns the token that passport has verified. A fault of the service is thrown as it is, and not as a bad token.
   */
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
    const { access } = checks.plan;
    const user = await this.bearers.admit(token, access.kind === 'bearer' && access.beforeSecondFactor === true);
    if (user === null) throw new NotAuthenticated();
    checks.caller = user;
    return true;
  }
}

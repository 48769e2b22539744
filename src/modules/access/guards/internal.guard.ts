import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { constantTimeEqual } from '../../../platform/crypto/index.js';
import { RouteNotFound } from '../../../platform/http/domain-error.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { CredentialMissing } from '../access-errors.js';
import { RouteChecks } from './route-checks.js';

/** Operators, by the internal job token; while none is configured there is no such route. */
@Injectable()
export class InternalGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const checks = this.routes.of(context);
    if (checks.credential !== 'internal') return true;
    const expected = this.config.internalJobToken;
    if (expected === undefined) throw new RouteNotFound();
    const given = context.switchToHttp().getRequest<CheckedRequest>().headers['x-internal-token'];
    if (typeof given !== 'string' || !constantTimeEqual(given, expected)) throw new CredentialMissing();
    checks.caller = null;
    return true;
  }
}

import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { constantTimeEqual } from '../../../platform/crypto/index.js';
import { RouteNotFound } from '../../../platform/http/domain-error.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { CredentialMissing } from '../access-errors.js';
import { RouteChecks } from './route-checks.js';

/** Admits operators with the internal job token. While no token is configured, the route does not exist. */
@Injectable()
export class InternalGuard implements CanActivate {
  constructor(
    private readonly routes: RouteChecks,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const checks = this.routes.of(context);
    if (checks.credential !== 'internal') return true;
    if (this.config.internalJobToken === undefined) throw new RouteNotFound();
    if (!isInternal(context.switchToHttp().getRequest<CheckedRequest>(), this.config)) throw new CredentialMissing();
    checks.caller = null;
    return true;
  }
}

/** Returns whether a request has the internal job token. */
export function isInternal({ headers }: Pick<Request, 'headers'>, { internalJobToken }: Config): boolean {
  const given = headers['x-internal-token'];
  return internalJobToken !== undefined && typeof given === 'string' && constantTimeEqual(given, internalJobToken);
}

import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ReadBody } from '../../../platform/http/body-reader.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { ACCESS, type AccessDeclaration } from '../declarations.js';
import { RequestMemo } from '../request-memo.js';
import { planRoute, type RoutePlan } from '../route-plan.js';
import type { AccessScope } from '../scope.js';

/** The credential that a request must present before any other check. Each one except `none` has a guard of its own. */
export type Credential = 'bearer' | 'api-key' | 'internal' | 'provider' | 'hook' | 'scim' | 'none';

/** The state of a request's checks. A guard throws when an earlier guard has not set the value that it needs. */
export interface Checks {
  readonly plan: RoutePlan;
  readonly credential: Credential;
  /** Set by the guard of the credential. Null when the credential identifies no caller. */
  caller?: AccessScope | null;
  /** The body, which is read after the credential is checked. */
  body?: ReadBody;
  /**
   * Set by the capability guard. `undecided` means that the id of the tenant or resource is missing or malformed. The
   * validation that follows always rejects such a request.
   */
  decision?: AccessScope | null | 'undecided';
}

/** Holds the plans of routes and the state of each request's checks for the guards. */
@Injectable()
export class RouteChecks {
  private readonly plans = new WeakMap<object, RoutePlan>();
  private readonly checks = new RequestMemo<Checks>('checks');

  constructor(private readonly reflector: Reflector) {}

  /** Returns the state of the request's checks. @throws Error when the route declares no access */
  of(context: ExecutionContext): Checks {
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    return this.checks.of(request, () => {
      const plan = this.planOf(context);
      return { plan, credential: credentialFor(plan.access, request) };
    });
  }

  private planOf(context: ExecutionContext): RoutePlan {
    const handler = context.getHandler();
    const known = this.plans.get(handler);
    if (known !== undefined) return known;
    const title = `${context.getClass().name}.${handler.name}`;
    const access = this.reflector.get<AccessDeclaration | undefined>(ACCESS, handler);
    if (access === undefined) throw new Error(`${title} declares no access`);
    const plan = planRoute(handler, access, title);
    this.plans.set(handler, plan);
    return plan;
  }
}

function credentialFor(access: AccessDeclaration, { headers }: CheckedRequest): Credential {
  switch (access.kind) {
    case 'public':
      return 'none';
    case 'internal':
    case 'provider':
    case 'api-key':
    case 'hook':
    case 'scim':
      return access.kind;
    case 'member-or-key':
      return headers['x-api-key'] === undefined ? 'bearer' : 'api-key';
    case 'bearer':
    case 'organization':
    case 'project':
    case 'capability':
    case 'each':
    case 'platform-admin':
      return 'bearer';
  }
}

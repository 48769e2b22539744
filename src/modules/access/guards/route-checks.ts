import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ReadBody } from '../../../platform/http/body-reader.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { ACCESS, type AccessDeclaration } from '../declarations.js';
import { RequestMemo } from '../request-memo.js';
import { planRoute, type RoutePlan } from '../route-plan.js';
import type { AccessScope } from '../scope.js';

/** What a request has to show before anything of it is looked at; each has a guard of its own but `none`. */
export type Credential = 'bearer' | 'api-key' | 'internal' | 'provider' | 'none';

/** How far a request has come. Every guard fails without what the ones before it should have left here. */
export interface Checks {
  readonly plan: RoutePlan;
  readonly credential: Credential;
  /** Of the guard of the credential: whose it is, null when it is nobody's. */
  caller?: AccessScope | null;
  /** Read after the credential. */
  body?: ReadBody;
  /** Of the guard of memberships; undecided: the tenant is missing or malformed, which validation is bound to refuse. */
  decision?: AccessScope | null | 'undecided';
}

/** What the guards know of routes and of the request at hand. */
@Injectable()
export class RouteChecks {
  private readonly plans = new WeakMap<object, RoutePlan>();
  private readonly checks = new RequestMemo<Checks>('checks');

  constructor(private readonly reflector: Reflector) {}

  /** @throws when the route declares no access */
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

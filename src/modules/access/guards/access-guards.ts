import type { Provider, Type } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Authorizer } from '../authorizer.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { BearerGuard } from './bearer.guard.js';
import { CapabilityGuard } from './capability.guard.js';
import { HookGuard } from './hook.guard.js';
import { InputsGuard } from './inputs.guard.js';
import { InternalGuard } from './internal.guard.js';
import { ProviderGuard } from './provider.guard.js';
import { RequestBodyReader } from './request-body.reader.js';
import { RouteChecks } from './route-checks.js';
import { ScimGuard } from './scim.guard.js';

/**
 * The guards of every route, in the order in which they check a request. They run after the rate limits and before the
 * handler: the credential (401), then the body, then the access (404, 403), then the inputs (422). A guard lets a
 * request pass when its route does not declare what the guard checks. The last two guards throw when an earlier guard
 * is missing.
 */
export const ACCESS_GUARDS: readonly Type<CanActivate>[] = [
  BearerGuard,
  ApiKeyGuard,
  InternalGuard,
  ProviderGuard,
  HookGuard,
  ScimGuard,
  CapabilityGuard,
  InputsGuard,
];

/**
 * Providers that put {@link ACCESS_GUARDS} in front of every route. The module that uses them must supply the
 * dependencies of the guards.
 */
export const ACCESS_PROVIDERS: readonly Provider[] = [
  Authorizer,
  RequestBodyReader,
  RouteChecks,
  ...ACCESS_GUARDS.map((useClass) => ({ provide: APP_GUARD, useClass })),
];

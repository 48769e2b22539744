import type { Provider, Type } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Authorizer } from '../authorizer.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { BearerGuard } from './bearer.guard.js';
import { CapabilityGuard } from './capability.guard.js';
import { InputsGuard } from './inputs.guard.js';
import { InternalGuard } from './internal.guard.js';
import { ProviderGuard } from './provider.guard.js';
import { RequestBodyReader } from './request-body.reader.js';
import { RouteChecks } from './route-checks.js';

/**
 * The order in which a request is looked at (DECISIONS 1), behind the rate limits and in front of every handler: whose
 * credential it is (401), then the body, then what they may (404, 403), then what they sent (422). A guard lets pass what the
 * route's declaration does not ask of it; the last two fail when one before them is missing.
 */
export const ACCESS_GUARDS: readonly Type<CanActivate>[] = [
  BearerGuard,
  ApiKeyGuard,
  InternalGuard,
  ProviderGuard,
  CapabilityGuard,
  InputsGuard,
];

/** For the module that has everything the guards ask: {@link ACCESS_GUARDS} in front of every route. */
export const ACCESS_PROVIDERS: readonly Provider[] = [
  Authorizer,
  RequestBodyReader,
  RouteChecks,
  ...ACCESS_GUARDS.map((useClass) => ({ provide: APP_GUARD, useClass })),
];

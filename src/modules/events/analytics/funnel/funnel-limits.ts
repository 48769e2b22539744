import { Injectable } from '@nestjs/common';
import { domainError } from '../../../../platform/http/domain-error.js';

export class TooManyFunnelValues extends domainError(
  503,
  'Funnel has too many values: choose a shorter range or a narrower filter',
) {}

/** What a funnel may keep while it runs; tests make it less. */
@Injectable()
export class FunnelLimits {
  /** Values whose chains are followed. */
  values = 2_000_000;
}

import { Injectable } from '@nestjs/common';
import { domainError } from '../../../../platform/http/domain-error.js';

export class TooManyFunnelValues extends domainError(
  503,
  'Funnel has too many values: choose a shorter range or a narrower filter',
) {}

/** Limits what one funnel query keeps in memory. Tests lower the limit. */
@Injectable()
export class FunnelLimits {
  /** A funnel with more values is refused with 503. */
  values = 2_000_000;
}

import { SetMetadata, type Type } from '@nestjs/common';
import type { Issue } from '../../platform/http/validation/index.js';
import type { AccessScope } from './scope.js';

/** Removes from validation errors the values that must not be repeated in a tenant's responses. */
export abstract class RefusalMask {
  /** @param scope null when the access could not be decided, so that the tenant is unknown */
  abstract mask(scope: AccessScope | null, issues: readonly Issue[]): Promise<Issue[]>;
}

export const REFUSAL_MASK = Symbol('refusal mask');

/** Sets the mask that a handler's validation errors pass through before they are returned. */
export function MaskRefusals(mask: Type<RefusalMask>): MethodDecorator {
  return SetMetadata(REFUSAL_MASK, mask);
}

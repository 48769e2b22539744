import { SetMetadata, type Type } from '@nestjs/common';
import type { Issue } from '../../platform/http/fields/index.js';
import type { AccessScope } from './scope.js';

/** Takes out of refusals what a tenant wants nobody to be told again. */
export abstract class RefusalMask {
  /** @param scope null: nobody could tell yet whose inputs they are */
  abstract mask(scope: AccessScope | null, issues: readonly Issue[]): Promise<Issue[]>;
}

export const REFUSAL_MASK = Symbol('refusal mask');

/** What a handler's refusals of inputs go through before they are answered. */
export function MaskRefusals(mask: Type<RefusalMask>): MethodDecorator {
  return SetMetadata(REFUSAL_MASK, mask);
}

import { lazy, Suspense } from 'react';
import { PendingPage } from '../../../shell/around-pages.js';
import type { Endpoint } from './endpoint.js';

/** The kind of endpoint whose signatures are verified. */
export type Signed = Endpoint['of'];

const Code = lazy(() => import('./verification-code.js'));

/** Shows code that verifies signatures. The code is loaded when it is shown. */
export function VerificationCode({ of }: { readonly of: Signed }) {
  return (
    <Suspense fallback={<PendingPage />}>
      <Code of={of} />
    </Suspense>
  );
}

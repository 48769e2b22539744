import { Alert, Text } from '@mantine/core';
import { isRefusal } from '@operational-events/client';
import type { ReactNode } from 'react';
import { Failure } from '../../parts/failures.js';

/** Returns whether the service refused the address because its company signs its people in. */
function isForCompany(error: unknown): boolean {
  return isRefusal(error) && error.status === 403 && error.detail === COMPANY;
}

const COMPANY = "Sign in with your company's provider";

interface Props {
  readonly error: unknown;
  /** The way to the providers, after the explanation. */
  readonly way: ReactNode;
}

/** Shows why a sign-in, registration or reset was refused. An address of a company gets the way to its provider. */
export function SignInFailure({ error, way }: Props) {
  if (!isForCompany(error)) return <Failure error={error} />;
  return (
    <Alert variant="light" role="alert" title={COMPANY}>
      <Text size="sm">Addresses of your company have no password here. {way}</Text>
    </Alert>
  );
}

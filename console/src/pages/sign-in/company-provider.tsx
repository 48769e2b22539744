import { Alert, Button, Stack, Text } from '@mantine/core';
import { isRefusal } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Failure } from '../../parts/failures.js';

const REFUSAL = "Sign in with your company's provider";

interface CompanyProvider {
  readonly label: string;
  readonly start_url: string;
}

interface WayProps {
  /** The address that was refused. Undefined where the page does not know it. */
  readonly email?: string;
  /** The way to other providers, where the company's own are unknown. */
  readonly way: ReactNode;
  /** The address in the console to open after the sign-in. */
  readonly next?: string | undefined;
}

/** Shows why a sign-in, registration or reset was refused. An address of a company gets the way to its provider. */
export function SignInFailure({ error, ...props }: WayProps & { readonly error: unknown }) {
  const isForCompany = isRefusal(error) && error.status === 403 && error.detail === REFUSAL;
  return isForCompany ? <CompanyWay {...props} /> : <Failure error={error} />;
}

function CompanyWay({ email, way, next }: WayProps) {
  // The person may edit the address while the refusal is shown.
  const [refused] = useState(email);
  const { data: providers = [] } = useQuery({
    queryKey: ['company-providers', refused],
    queryFn: ({ signal }) => providersOf(refused ?? '', signal),
    enabled: refused !== undefined,
    retry: false,
  });
  return (
    <Alert variant="light" role="alert" title={REFUSAL}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Addresses of your company have no password here. {providers.length === 0 && way}</Text>
        {providers.map(({ label, start_url }) => (
          <Button key={start_url} component="a" href={startOf(start_url, next)}>
            Sign in with {label}
          </Button>
        ))}
      </Stack>
    </Alert>
  );
}

/** Returns the providers of the address's company. A service that cannot name them has none to offer. */
async function providersOf(email: string, signal: AbortSignal): Promise<CompanyProvider[]> {
  const response = await fetch('/sso/discover', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: email.trim() }),
    signal,
  });
  if (!response.ok) return [];
  const { providers } = (await response.json()) as { providers: CompanyProvider[] };
  return providers.filter(({ start_url }) => start_url.startsWith('/sso/'));
}

function startOf(url: string, next: string | undefined): string {
  return next === undefined ? url : `${url}?${new URLSearchParams({ return_to: `/console${next}` }).toString()}`;
}

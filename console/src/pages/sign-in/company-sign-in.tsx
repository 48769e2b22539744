import { Button, Stack, TextInput } from '@mantine/core';
import { Refusal } from '@operational-events/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useState } from 'react';
import { observedFetch } from '../../api/waiting.js';
import { Explained, Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Card } from './card.js';
import { CompanyButtons, type CompanyProvider } from './company-buttons.js';

interface Companies {
  readonly providers: readonly CompanyProvider[];
  readonly by_address: boolean;
}

type Found = Omit<CompanyProvider, 'name' | 'icon'>;

interface Onward {
  /** The address in the console to open after the sign-in. */
  readonly next: string | undefined;
}

/** Shows a button for each provider that the deployment has configured, and one for other companies if there are any. */
export function ConfiguredCompanies({ next, onOther }: Onward & { readonly onOther: () => void }) {
  const { data } = useQuery({
    queryKey: ['sso-providers'],
    queryFn: ({ signal }) => ask<Companies>('/sso/providers', { signal }),
    staleTime: 60_000,
  });
  return (
    <CompanyButtons
      providers={data?.providers ?? []}
      isByAddress={data?.by_address ?? isRoomLeft()}
      onProvider={(provider) => goToCompany(provider, next)}
      onOther={onOther}
    />
  );
}

/** Returns whether the service left room for the button of other companies, as it drew the page. */
function isRoomLeft(): boolean {
  return document.documentElement.dataset.companyByAddress === 'true';
}

/** Finds the company's sign-in by the domain of an address. */
export function CompanySignIn({
  email: known,
  next,
  onBack,
}: Onward & { readonly email: string; readonly onBack: () => void }) {
  const [email, setEmail] = useState(known);
  const find = useMutation({
    mutationFn: async () => {
      const { providers } = await ask<{ providers: Found[] }>('/sso/discover', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      if (providers.length === 0) throw new Explained('No company has set up a sign-in for this address.');
      return providers;
    },
  });
  const { reset } = find;
  useEffect(() => {
    // Going back may restore the page as it was left, with the button that waits for the provider.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) reset();
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, [reset]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    find.mutate(undefined, {
      // Is not called after the person has left the form or has edited the address.
      onSuccess: ([first, ...others]) => {
        if (first !== undefined && others.length === 0) goToCompany(first, next);
      },
    });
  };
  const choices = find.data ?? [];
  return (
    <Card title="Sign in with your company" lead="Your e-mail address says where your company signs you in.">
      <form onSubmit={submit}>
        <TextInput
          label="E-mail address at your company"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            find.reset();
          }}
        />
        <Stack mt="md">
          <Failure error={find.error} />
          {choices.length > 1 ? (
            choices.map((provider) => (
              <Button
                key={provider.start_url}
                variant="default"
                leftSection={<Icon name="people" size={16} />}
                onClick={() => goToCompany(provider, next)}
              >
                {provider.label}
              </Button>
            ))
          ) : (
            <Button type="submit" loading={find.isPending || choices.length === 1}>
              Continue
            </Button>
          )}
        </Stack>
      </form>
      <Button variant="subtle" onClick={onBack}>
        Sign in another way
      </Button>
    </Card>
  );
}

/** Leaves the console for the provider's sign-in page. */
function goToCompany({ start_url }: Found, next: string | undefined): void {
  const query = next === undefined ? '' : `?${new URLSearchParams({ return_to: `/console${next}` }).toString()}`;
  location.assign(`${start_url}${query}`);
}

/** The paths are outside of `/v1`, so the client does not have them. */
async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await observedFetch(path, init);
  const answer = (await response.json()) as Answer & { readonly detail: unknown };
  if (!response.ok) throw new Refusal('logIn', response.status, answer.detail, response.headers);
  return answer;
}

import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { goToProvider, type Provider, PROVIDERS } from './oauth.js';

/** Shows a button for each provider that the deployment has configured. */
export function OAuthButtons({ next }: { readonly next: string | undefined }) {
  const { data: providers = [] } = useQuery({
    queryKey: ['oauth-providers'],
    queryFn: ({ signal }) => signInApi.listOAuthProviders({}, { signal }),
    staleTime: Infinity,
  });
  const going = useMutation({ mutationFn: (provider: Provider) => goToProvider(provider, next) });
  return (
    <>
      {providers.map(({ provider }) => (
        <Button
          key={provider}
          variant="default"
          loading={going.isPending && going.variables === provider}
          onClick={() => going.mutate(provider)}
        >
          Sign in with {PROVIDERS[provider]}
        </Button>
      ))}
      <Failure error={going.error} />
    </>
  );
}

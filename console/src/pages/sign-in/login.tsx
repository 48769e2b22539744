import { Button, Divider, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { startAuthentication, browserSupportsWebAuthn } from '@simplewebauthn/browser';
import type { Schemas, Tokens } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { LinkAnchor } from '../../parts/links.js';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Card } from './card.js';
import { OAuthButtons } from './oauth-buttons.js';
import { SecondFactor } from './second-factor.js';
import { useSignedInAs } from './signed-in.js';

const route = getRouteApi('/login');

export function LoginPage() {
  const { next } = route.useSearch();
  const signedInAs = useSignedInAs();
  const finish = (tokens: Tokens) => signedInAs(tokens, next);
  const [challenge, setChallenge] = useState<Schemas['MfaChallengeResponse'] | null>(null);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');

  const byPassword = useMutation({
    mutationFn: async () => {
      const answer = await signInApi.logIn({ body: { username, password } });
      setPassword('');
      if ('mfa_required' in answer) setChallenge(answer);
      else await finish(answer);
    },
  });
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { challenge_token, options } = await signInApi.createPasskeyLoginOptions();
      const credential = await startAuthentication({ optionsJSON: options as never });
      await finish(await signInApi.logInWithPasskey({ body: { challenge_token, credential } }));
    },
  });

  if (challenge !== null)
    return <SecondFactor challenge={challenge} onSignedIn={finish} onBack={() => setChallenge(null)} />;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    byPasskey.reset();
    byPassword.mutate();
  };
  return (
    <Card title="Sign in">
      <form onSubmit={submit}>
        <TextInput
          label="E-mail address"
          type="email"
          name="username"
          autoComplete="username webauthn"
          required
          autoFocus
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          mt="sm"
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt={6} mb="md">
          <LinkAnchor to="/forgot-password" size="sm">
            Forgotten the password?
          </LinkAnchor>
        </Group>
        <Failure error={byPassword.error ?? byPasskey.error} />
        <Button type="submit" fullWidth mt="sm" loading={byPassword.isPending}>
          Sign in
        </Button>
      </form>
      {browserSupportsWebAuthn() && (
        <>
          <Divider label="or" />
          <Button
            variant="default"
            leftSection={<Icon name="key" size={16} />}
            loading={byPasskey.isPending}
            onClick={() => {
              byPassword.reset();
              byPasskey.mutate();
            }}
          >
            Sign in with a passkey
          </Button>
        </>
      )}
      <OAuthButtons next={next} />
      <Text size="sm" ta="center">
        No account yet?{' '}
        <LinkAnchor to="/register" search={next === undefined ? {} : { next }} underline="always">
          Register
        </LinkAnchor>
      </Text>
    </Card>
  );
}

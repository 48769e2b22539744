import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { signInApi } from '../../api/sign-in-client.js';
import { Card } from './card.js';
import { SignInFailure } from './company-provider.js';
import { useMailedToken } from './use-mailed-token.js';

const resetRoute = getRouteApi('/reset-password');

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const request = useMutation({ mutationFn: () => signInApi.requestPasswordReset({ body: { email } }) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    request.mutate();
  };
  if (request.data !== undefined) {
    return (
      <Card title="Check your mail" lead={`${request.data.message}. The link is valid for an hour.`}>
        <LinkButton to="/login">To the sign-in</LinkButton>
      </Card>
    );
  }
  return (
    <Card title="Choose a new password" lead="A mail with a link lets you choose it.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <SignInFailure
            error={request.error}
            email={email}
            way={
              <LinkAnchor to="/login" size="sm" underline="always">
                To the providers
              </LinkAnchor>
            }
          />
          <Button type="submit" loading={request.isPending}>
            Send the mail
          </Button>
        </Stack>
      </form>
      <LinkAnchor to="/login" size="sm" ta="center">
        Back to the sign-in
      </LinkAnchor>
    </Card>
  );
}

export function ResetPasswordPage() {
  const { token = '' } = useMailedToken(resetRoute.useSearch());
  const [password, setPassword] = useState('');
  const validity = useQuery({
    queryKey: ['reset-token'],
    queryFn: () => signInApi.validatePasswordReset({ body: { token } }),
    enabled: token !== '',
    gcTime: 0,
  });
  const confirm = useMutation({
    mutationFn: () => signInApi.confirmPasswordReset({ body: { token, password } }),
    onSuccess: () => setPassword(''),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  if (confirm.data !== undefined) {
    return (
      <Card title="The password is set" lead="Every session of the account has ended.">
        <LinkButton to="/login">Sign in</LinkButton>
      </Card>
    );
  }
  if (token === '' || validity.data?.valid === false) {
    return (
      <Card title="This link is no longer valid" lead="A link works once, within an hour.">
        <LinkButton to="/forgot-password">Send another one</LinkButton>
      </Card>
    );
  }
  return (
    <Card title="Choose a new password" lead="It ends every session of the account.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <PasswordInput
            label="New password"
            description="At least 8 characters, and not a common one"
            autoComplete="new-password"
            required
            autoFocus
            minLength={8}
            maxLength={128}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <SignInFailure
            error={confirm.error ?? validity.error}
            way={
              <LinkAnchor to="/login" size="sm" underline="always">
                To the providers
              </LinkAnchor>
            }
          />
          <Button type="submit" loading={confirm.isPending}>
            Set the password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

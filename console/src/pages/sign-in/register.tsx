import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { Card } from './card.js';
import { SignInFailure } from './company-provider.js';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { next } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const register = useMutation({
    mutationFn: () => signInApi.registerAccount({ body: { email, password, ...(name !== '' && { name }) } }),
    onSuccess: () => setPassword(''),
  });
  if (register.data !== undefined) return <MailOnItsWay email={email} />;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    register.mutate();
  };
  return (
    <Card title="Register" lead="Then see your first event within two minutes.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            autoComplete="name"
            maxLength={200}
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            description="At least 8 characters, and not a common one"
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={128}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <SignInFailure
            error={register.error}
            email={email}
            next={next}
            way={
              <LinkAnchor to="/login" size="sm" underline="always">
                To the providers
              </LinkAnchor>
            }
          />
          <Button type="submit" loading={register.isPending}>
            Register
          </Button>
        </Stack>
      </form>
      <Text size="sm" ta="center">
        Registered already?{' '}
        <LinkAnchor to="/login" search={next === undefined ? {} : { next }} underline="always">
          Sign in
        </LinkAnchor>
      </Text>
    </Card>
  );
}

function MailOnItsWay({ email }: { readonly email: string }) {
  const resend = useMutation({ mutationFn: () => signInApi.resendVerification({ body: { email } }) });
  return (
    <Card title="Check your mail">
      <Text>
        We sent a link to <b>{email}</b>. Open it to confirm the address. It is valid for 24 hours.
      </Text>
      <Text size="sm" c="dimmed">
        A service without a mail server writes each mail as a file into the folder <b>outbox</b>. It prints the path
        when it starts.
      </Text>
      <Failure error={resend.error} />
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
        {resend.isSuccess ? 'Sent again' : 'Send it again'}
      </Button>
      <LinkButton to="/login">To the sign-in</LinkButton>
    </Card>
  );
}
